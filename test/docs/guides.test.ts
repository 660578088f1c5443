import { isGuide, testPages } from "./pages.ts";

testPages(isGuide);
