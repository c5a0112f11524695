import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, parseAst, runnerImport, type Plugin } from 'vite';
import type * as Contract from '../contract/admin/index.ts';
import type { Service } from '../contract/rpc/rpc.ts';

/** The package of Cloudscape's components. */
const cloudscape = dirname(fileURLToPath(import.meta.resolve('@cloudscape-design/components')));

const definitionQuery = '?page';

/** The text at a path in what a module exports, such as `userWords.details`. */
const textAt = async (module: string, path: string): Promise<string> => {
  const exported: unknown = (await runnerImport(module)).module;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the title of a page is a text
  return path.split('.').reduce<unknown>((value, name) => (value as { readonly [name: string]: unknown })[name], exported) as string;
};

/** The definition of a page with its imports, without its component. @throws Error when the file has none. */
const definitionIn = async (file: string, code: string): Promise<string> => {
  const { body } = parseAst(code, { lang: 'tsx' });
  const definition = body.find((node) => node.type === 'ExportNamedDeclaration' && /^export const page\b/.test(code.slice(node.start, node.end)));
  if (!definition) throw new Error(`${file} has no line that begins with "export const page"`);
  const source = code.slice(definition.start, definition.end);
  // The title is copied, so that the words of all pages are not a part of the first load.
  const [, title = '', words = ''] = /title: ((\w+)\.[\w.]{1,80})/.exec(source) ?? [];
  const from = body.find((node) => node.type === 'ImportDeclaration' && node.specifiers.some(({ local }) => local.name === words));
  const text = from?.type === 'ImportDeclaration' ? source.replace(title, JSON.stringify(await textAt(join(dirname(file), from.source.value), title))) : source;
  // A method may have the name of a component.
  const names = new Set(text.replaceAll(/'[^']*'|"[^"]*"/g, '').match(/\w+/g));
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
    return { code: await definitionIn(file, await readFile(file, 'utf8')), moduleType: 'tsx' };
  },
};

/** The folder of each component of Cloudscape, by its name. */
const componentFolders = new Map(
  Array.from(readFileSync(join(cloudscape, 'index.js'), 'utf8').matchAll(/default as (\w+) \} from '\.\/([\w-]+)\//g), ([, name, folder]) => [name, folder]),
);

/** The folder of a component. @throws Error when Cloudscape's index has no such component. */
const folderOf = (component: string): string => {
  const folder = componentFolders.get(component);
  if (folder === undefined) throw new Error(`${join(cloudscape, 'index.js')} has no line that exports ${component} from a folder`);
  return folder;
};

/**
 * Imports each component of Cloudscape from its own module. The module of all components would make every component that
 * a page uses a part of the first load.
 */
const singleComponents: Plugin = {
  name: 'single-components',
  enforce: 'pre',
  transform: {
    filter: { code: "'@cloudscape-design/components'" },
    handler(code, id) {
      if (!id.startsWith(import.meta.dirname)) return undefined;
      const { body } = parseAst(code, { lang: 'tsx' });
      return body
        .filter((node) => node.type === 'ImportDeclaration' && node.source.value === '@cloudscape-design/components')
        .reduce((text, node) => {
          if (node.type !== 'ImportDeclaration') return text;
          const names = node.importKind === 'type' ? [] : node.specifiers.filter((one) => one.type === 'ImportSpecifier' && one.importKind !== 'type');
          const single = names.map(
            ({ local, imported }) => `import ${local.name} from '@cloudscape-design/components/${folderOf(code.slice(imported.start, imported.end))}';`,
          );
          return text.replace(code.slice(node.start, node.end), single.join(' '));
        }, code);
    },
  },
};

const namesQuery = '?names';

/** The modules that need the schemas of the contract: they make forms, explain methods, or check a file. */
const needsSchemas = /\/(?:console\/(?:parts\/forms\/(?:method-form|form-fields)|pages\/change-requests\/[\w-]+|app\/help-content)|people\/people-file)\.tsx?$/;

/**
 * Reads a file of the contract as `<file>?names`, where declarations that nobody uses are left out. The schemas of the
 * contract, and zod, are four times as large as the names and limits that most pages need of it.
 */
const contractNames: Plugin = {
  name: 'contract-names',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    if (!importer || !source.startsWith('.') || !(/\/(?:console|people)\//.test(importer) || importer.endsWith(namesQuery))) return undefined;
    // The class of errors exists once, or `instanceof` would not find it.
    if (needsSchemas.test(importer) && !source.endsWith('/contract/client.ts')) return undefined;
    const file = await this.resolve(source, importer.replace(namesQuery, ''), { ...options, skipSelf: true });
    return file?.id.includes('/contract/') && file.id.endsWith('.ts') ? `${file.id}${namesQuery}` : file;
  },
  async load(id) {
    if (!id.endsWith(namesQuery)) return undefined;
    const file = id.slice(0, -namesQuery.length);
    this.addWatchFile(file);
    const code = await readFile(file, 'utf8');
    const { body } = parseAst(code, { lang: 'ts' });
    const values = body
      .map((node) => (node.type === 'ExportNamedDeclaration' ? node.declaration : node))
      .flatMap((node) => (node?.type === 'VariableDeclaration' ? node.declarations : []))
      .flatMap(({ init }) => (init ? [init] : []));
    const pure = values.reduceRight(
      (text, { start, end }) => `${text.slice(0, start)}/* @__PURE__ */ (() => (${text.slice(start, end)}))()${text.slice(end)}`,
      code,
    );
    return { code: pure, moduleType: 'ts' };
  },
};

const methodRoles = 'method-roles';
const contractIndex = join(import.meta.dirname, '..', 'contract', 'admin', 'index.ts');

/** Gives `page/may-open.ts` the roles of each method without the schemas of the methods. */
const rolesOfMethods: Plugin = {
  name: methodRoles,
  enforce: 'pre',
  resolveId: (source, importer) => (importer?.endsWith('/console/page/may-open.ts') && source.endsWith('/contract/admin/index.ts') ? methodRoles : undefined),
  async load(id) {
    if (id !== methodRoles) return undefined;
    const { services } = (await runnerImport<typeof Contract>(contractIndex)).module;
    const roles = Object.entries<Service>(services).map(([service, { methods }]) => [
      service,
      { methods: Object.fromEntries(Object.entries(methods).map(([method, { roles: allowed }]) => [method, { roles: allowed }])) },
    ]);
    return `export const services = ${JSON.stringify(Object.fromEntries(roles))};`;
  },
};

const toolbarAttribute = '"aria-orientation": "horizontal", ';

/**
 * Removes an attribute that a navigation may not have (WAI-ARIA 1.2 §6.6) from the bar of AppLayout on phones. The build fails
 * when Cloudscape no longer has it.
 */
const allowedAttributes = (): Plugin => {
  let isRemoved = false;
  return {
    name: 'allowed-attributes',
    enforce: 'pre',
    transform: {
      filter: { id: /\/visual-refresh\/mobile-toolbar\.js$/ },
      handler(code) {
        isRemoved = code.includes(toolbarAttribute);
        return code.replace(toolbarAttribute, '');
      },
    },
    buildEnd(error) {
      if (!error && !isRemoved)
        throw new Error(
          `Cloudscape's mobile-toolbar.js has no ${toolbarAttribute}any more. If axe finds nothing in test/integration/console/phone.test.ts without the plugin "allowed-attributes", remove it.`,
        );
    },
  };
};

/** Modules with what they import, however far away, but not what they load later. */
type LoadedTogether = (id: string, modules: ModuleInfos) => boolean;
type ModuleInfos = { getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null; getModuleIds?(): Iterable<string> };

const loadedWith = (roots: readonly string[]): LoadedTogether => {
  let found: Set<string> | undefined;
  return (id, modules) => {
    if (!found) {
      found = new Set(roots.map((root) => join(import.meta.dirname, root)));
      for (const each of found) for (const imported of modules.getModuleInfo(each)?.importedIds ?? []) found.add(imported);
    }
    return found.has(id);
  };
};

/** The first script, which requests all others; what is shown before the sign-in; then the frame of all pages with the first page; and its charts. */
const isOfStart = loadedWith(['app/start/main.ts']);
const isOfGate = loadedWith(['app/start/app.tsx', 'session/session.ts']);
const isOfFrame = loadedWith(['app/signed-in.tsx', 'pages/overview/overview-page.tsx']);
const isOfCharts = loadedWith(['pages/overview/overview-charts.tsx', 'parts/charts/time-chart.tsx']);
/** The chart itself, and the libraries that draw it. */
const isOfChart = (id: string): boolean => id.includes('time-chart') || (id.includes('node_modules') && /chart|\/d3-/.test(id));

/**
 * The file of a module. Libraries have files of their own, which a browser keeps when the console changes: what is needed
 * before the sign-in, the router with the calls of the API, and the components of the frame. Other pages need what the charts
 * of the first page need, but not the chart.
 */
const fileOf = (id: string, modules: ModuleInfos): string | null => {
  if (id.includes('/node_modules/zod/')) return null;
  if (isOfStart(id, modules) || id.includes('vite/preload-helper')) return 'start';
  if (/\/node_modules\/(?:react-router|@tanstack)\//.test(id)) return 'routing';
  const isLibrary = id.includes('/node_modules/');
  if (isOfGate(id, modules) || /\/node_modules\/(?:react|react-dom|scheduler)\//.test(id)) return isLibrary ? 'libraries' : 'gate';
  if (isOfFrame(id, modules)) return isLibrary ? 'components' : 'frame';
  if (isOfCharts(id, modules) && !isOfChart(id)) return 'charts';
  return null;
};

/**
 * Requests what every visit needs together with the first script, which loads it later. The styles of libraries are not in
 * the way of the first paint, which needs none of them.
 */
const earlyFiles: Plugin = {
  name: 'early-files',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((file) => /(?:libraries|gate|runtime)-[\w-]{8}\.(?:js|css)$/.test(file))
        .map((file) => ({
          tag: 'link',
          injectTo: 'head' as const,
          attrs: { ...(file.endsWith('.js') ? { rel: 'modulepreload' } : { rel: 'preload', as: 'style' }), crossorigin: '', href: `/${file}` },
        })),
  },
};

/**
 * The build of the console. Files in `assets/` have names with a hash. Nothing is inlined, because the content security
 * policy allows scripts and styles from files alone.
 */
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: join(import.meta.dirname, '..', 'node_modules', '.vite'),
  plugins: [pageDefinitions, singleComponents, rolesOfMethods, contractNames, allowedAttributes(), earlyFiles],
  resolve: {
    alias: [
      // The build of the parser for browsers has a Buffer of its own.
      { find: 'csv-parse/sync', replacement: 'csv-parse/browser/esm/sync' },
      // AppLayout has three layouts, of which it shows the one of visual refresh.
      { find: /^\.\/(?:classic|visual-refresh-toolbar)$/, replacement: './visual-refresh' },
    ],
  },
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    cssCodeSplit: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What comes before the sign-in, and then the first page, are a few files with all that they need, so that nothing else
    // is loaded for them. Parts that pages share are two files. Otherwise a page has dozens, and each is a call of the
    // Lambda that serves them.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'schemas', test: '/node_modules/zod/', priority: 9 },
            ...['charts', 'frame', 'gate', 'components', 'routing', 'libraries', 'start'].map((name, index) => ({
              name: (id: string, modules: ModuleInfos) => (fileOf(id, modules) === name ? name : null),
              priority: index + 1,
            })),
            { name: 'shared', test: '/node_modules/', minShareCount: 3 },
            { name: 'parts', test: /\/(?:console|contract)\//, minShareCount: 2 },
          ],
        },
      },
    },
  },
  oxc: { jsx: { runtime: 'automatic' } },
});
