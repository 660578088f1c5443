import { oneOf } from "darwinian-minds/hook-policy/helpers";

/** Popular packages. Malicious ones take names like theirs, to be installed by a typing error. */
const NPM =
  "express lodash react-dom axios typescript webpack eslint prettier jquery moment commander chalk mongoose next nuxt angular svelte vitest jest-cli mocha babel-core dotenv cross-env nodemon socket.io passport jsonwebtoken bcrypt cors body-parser redux react-router tailwindcss postcss rollup esbuild puppeteer playwright cheerio request underscore async bluebird electron electron-native-notify winston";
const PYPI =
  "requests urllib3 numpy pandas matplotlib scikit-learn tensorflow pytorch django flask fastapi sqlalchemy beautifulsoup4 selenium scipy pillow cryptography boto3 botocore setuptools pyyaml colorama python-dateutil pytest jinja2 opencv-python openai anthropic transformers langchain pydantic aiohttp httpx psycopg2 pymongo paramiko ansible jupyter";
/** Packages in their own right, although their names look alike. */
const OTHERS =
  "preact request requests-mock moments reactive expresso flasky pandas-stubs httpx http-proxy lodash-es axios-retry jest test nest next-auth nuxi mocha-junit boto ruff rich numba scipy-stubs pytest-cov webpack-cli eslint-plugin typescript-eslint pydantic-core chai chalk-cli cord corsa colors colorette color dot-env express-async commandeer momentum redux-saga re-reduced wasync webpacker electrodb pillow-simd jinja requestly nextra winstone cryptography-vectors panda jquery-ui undici pymongo-inmemory jupyterlab selenium-wire httpie http-server reactjs tensorflow-gpu mongose";

/** The popular package that a name is one slip away from; undefined: it is that package, or another one. */
export function lookAlikeOf(written: string, manager: string): string | undefined {
  const isNpm = oneOf("npm pnpm yarn bun npx bunx")(manager);
  if (!isNpm && !oneOf("pip pipx uv uvx poetry easy_install")(manager)) return undefined;
  const name = written.replace(/(?<=.)(?:@|==|>=|<=|~=|\[).*$/, "").toLowerCase();
  const popular = (isNpm ? NPM : PYPI).split(" ");
  if (name.length < 5 || popular.includes(name) || OTHERS.split(" ").includes(name) || name.startsWith("@"))
    return undefined;
  return popular.find((one) => one.length > 4 && isSlip(name, one));
}

/** One letter too many, missing, wrong, or two swapped; a dash more or less; a digit for a letter. */
function isSlip(name: string, other: string): boolean {
  const plain = (text: string) => text.replace(/[-_.]/g, "").replaceAll("0", "o").replaceAll("1", "l");
  if (plain(name) === plain(other)) return true;
  if (Math.abs(name.length - other.length) > 1) return false;
  let start = 0;
  while (start < name.length && name[start] === other[start]) start++;
  let end = 0;
  while (end < Math.min(name.length, other.length) - start && name.at(-1 - end) === other.at(-1 - end)) end++;
  const [left, right] = [name.length - start - end, other.length - start - end];
  const isSwap = left === 2 && right === 2 && name[start] === other[start + 1] && name[start + 1] === other[start];
  return isSwap || (left <= 1 && right <= 1);
}
