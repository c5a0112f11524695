import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineConfig, parseAst, type Plugin } from 'vite';

const definitionQuery = '?page';

/** The definition of a page with its imports, without its component. @throws Error when the file has none. */
const definitionIn = (file: string, code: string): string => {
  const { body } = parseAst(code, { lang: 'tsx' });
  const definition = body.find((node) => node.type === 'ExportNamedDeclaration' && /^export const page\b/.test(code.slice(node.start, node.end)));
  if (!definition) throw new Error(`${file} has no line that begins with "export const page"`);
  const text = code.slice(definition.start, definition.end);
  const names = new Set(text.match(/\w+/g));
  const imports = body.filter((node) => node.type === 'ImportDeclaration' && node.specifiers.some(({ local }) => names.has(local.name)));
  return [...imports.map((node) => code.slice(node.start, node.end)), text].join('\n');
};

/** Reads `<name>-page.tsx?page`: the page's definition, which the frame needs before it loads the component. */
const pageDefinitions: Plugin = {
  name: 'page-definitions',
  enforce: 'pre',
  async load(id) {
    if (!id.endsWith(definitionQuery)) return undefined;
    const file = id.slice(0, -definitionQuery.length);
    this.addWatchFile(file);
    return { code: definitionIn(file, await readFile(file, 'utf8')), moduleType: 'tsx' };
  },
};

/** The modules that `main.tsx` and `app.tsx` load before sign-in, and the function that loads the others. */
const beforeSignIn =
  /\/console\/(?:session\/(?:session|session-gate|page-loading)|app\/start\/start-failed)\.tsx?$|\/contract\/deployment\/(?:console|site)\.ts$|vite\/preload-helper/;

/** The modules of the frame of all pages, and of the first page. */
const firstPage = /\/console\/(?:app\/signed-in|pages\/overview\/overview-page)\.tsx$/;

/**
 * The build of the console. Files in `assets/` have names with a hash. Nothing is inlined, because the content security
 * policy allows scripts and styles from files alone.
 */
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: join(import.meta.dirname, '..', 'node_modules', '.vite'),
  plugins: [pageDefinitions],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    cssCodeSplit: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What comes before the sign-in, and then the first page, are a file each with all that they need, so that nothing
    // else is loaded for them. Parts that pages share are two files. Otherwise a page has dozens, and each is a call of the
    // Lambda that serves them.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'gate', test: beforeSignIn, priority: 2 },
            { name: 'frame', test: firstPage, priority: 1 },
            { name: 'parts', test: /\/(?:console|contract)\//, minShareCount: 2 },
            { name: 'shared', minShareCount: 4 },
          ],
        },
      },
    },
  },
  oxc: { jsx: { runtime: 'automatic' } },
});
