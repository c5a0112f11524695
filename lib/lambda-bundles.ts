import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync, version, type BuildOptions } from 'esbuild';
import { lambdaEntries, type LambdaCode } from './lambda-entries.ts';

/** What is bundled, and where. All paths but the root are below the root. */
export type BundleProject = {
  readonly root: string;
  /** Lambda names with the file that exports `handler`. */
  readonly entries: Readonly<Record<string, string>>;
  /** Folders and files that decide what comes out: when none of them changed, the last bundles are taken. */
  readonly sources: readonly string[];
  /** Where bundles are kept: a folder for each state of the sources. */
  readonly cache: string;
};

/** CommonJS, because it loads faster than ES modules and the SDK's parts still need `require`; the SDK inside, so that what was tested is what runs. */
const options = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  mainFields: ['module', 'main'],
  minify: true,
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'silent',
} as const satisfies BuildOptions;

const dayMs = 86_400_000;

const filesAt = (path: string): string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    : [path];

/** A name for the state of the sources. */
const fingerprint = ({ root, entries, sources }: BundleProject): string => {
  const hash = createHash('sha256').update(JSON.stringify([version, options, entries]));
  for (const path of sources.map((source) => join(root, source)).filter((path) => existsSync(path)).flatMap(filesAt).sort()) {
    hash.update(`\0${path.slice(root.length)}\0`).update(readFileSync(path));
  }
  return hash.digest('hex').slice(0, 24);
};

const missing = ({ root, entries }: BundleProject): string[] => Object.values(entries).filter((path) => !existsSync(join(root, path)));

/** Bundles of states that nobody used for a day. */
const removeOld = (cache: string): void => {
  for (const name of readdirSync(cache)) {
    if (Date.now() - statSync(join(cache, name)).mtimeMs > dayMs) rmSync(join(cache, name), { recursive: true, force: true });
  }
};

/** Builds beside the place and moves it there whole, so that an interrupted run leaves nothing half made and two runs at once do not disturb each other. */
const build = ({ root, entries }: BundleProject, directory: string): void => {
  const scratch = `${directory}.${randomUUID().slice(0, 8)}`;
  try {
    mkdirSync(scratch);
    buildSync({
      ...options,
      absWorkingDir: root,
      entryPoints: Object.entries(entries).map(([name, path]) => ({ in: path, out: join(name, 'index') })),
      outdir: scratch,
    });
    renameSync(scratch, directory);
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    if (!existsSync(directory)) throw error;
  }
};

/**
 * The folder that holds `<name>/index.js` with its source map for each entry, built by one run of esbuild unless it is there already.
 * @throws Error that names the entries that do not exist, or what esbuild could not bundle.
 */
export const bundle = (project: BundleProject): string => {
  const absent = missing(project);
  if (absent.length > 0) throw new Error(`These Lambdas can't be bundled, because the file that exports their handler is missing: ${absent.join(', ')}`);
  const cache = join(project.root, project.cache);
  const directory = join(cache, fingerprint(project));
  mkdirSync(cache, { recursive: true });
  if (existsSync(directory)) utimesSync(directory, new Date(), new Date());
  else build(project, directory);
  removeOld(cache);
  return directory;
};

/** The project's Lambdas as assets, bundled when this is called. */
export const bundledLambdas = (root: string): LambdaCode => {
  const directory = bundle({ root, entries: lambdaEntries, sources: ['core', 'lambdas', 'contract', 'package-lock.json', 'tsconfig.json'], cache: '.bundles' });
  return (name) => Code.fromAsset(join(directory, name));
};
