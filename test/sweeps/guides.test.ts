import { isGuide, testPages } from "../docs/pages.ts";

testPages(isGuide);
