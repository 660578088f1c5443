import { isGuide, testPages } from "./pages.ts";

testPages((name) => !isGuide(name));
