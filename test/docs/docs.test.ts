import { isLong, testPages } from "./pages.ts";

testPages((name) => !isLong(name));
