import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync, version, type BuildOptions } from 'esbuild';
import { siteFolder } from '../../contract/deployment/site.ts';
import { lambdaEntries, type LambdaCode } from './lambda-entries.ts';
import { buildSite, siteNames } from './site-build.ts';

/** The sources and the target of a build. All paths are relative to the root. */
export type BundleProject = {
  readonly root: string;
  /** Lambda name → the file that exports its `handler`. */
  readonly entries: Readonly<Record<string, string>>;
  /** Folders and files that the bundles depend on. While none of them changes, the cached bundles are used. */
  readonly sources: readonly string[];
  /** The folder of cached bundles, with one folder for each state of the sources. */
  readonly cache: string;
  /** Lambda name → a function that writes additional files into the folder of the Lambda's bundle. */
  readonly furtherFiles?: Readonly<Record<string, (folder: string) => void>>;
};

/**
 * CommonJS loads faster than ES modules, and parts of the AWS SDK still need `require`. The SDK is bundled, so that
 * Lambdas run the tested version.
 */
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
  charset: 'utf8',
  // A Lambda's credentials are in its environment. The SDK would load these for a person's, and never does.
  external: ['ini', 'login', 'process', 'sso', 'web-identity'].map((source) => `@aws-sdk/credential-provider-${source}`),
  logLevel: 'silent',
} as const satisfies BuildOptions;

const dayMs = 86_400_000;

const filesBelow = (path: string): string[] => {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
};

/** A hash of the sources, the entries, the options and esbuild's version. */
const fingerprint = ({ root, entries, sources }: BundleProject): string => {
  const hash = createHash('sha256').update(JSON.stringify([version, options, entries]));
  const existing = sources.map((source) => join(root, source)).filter((path) => existsSync(path));
  for (const path of existing.flatMap(filesBelow).sort()) {
    hash.update(`\0${path.slice(root.length)}\0`).update(readFileSync(path));
  }
  return hash.digest('hex').slice(0, 24);
};

const missingEntries = ({ root, entries }: BundleProject): string[] => Object.values(entries).filter((path) => !existsSync(join(root, path)));

/** Deletes bundles that were not used for a day. */
const removeOldBundles = (cache: string): void => {
  for (const name of readdirSync(cache)) {
    if (Date.now() - statSync(join(cache, name)).mtimeMs > dayMs) rmSync(join(cache, name), { recursive: true, force: true });
  }
};

/**
 * Builds in a scratch folder and renames it when it is complete. An interrupted run leaves no partial bundles, and
 * concurrent runs do not disturb each other.
 */
const buildInto = ({ root, entries, furtherFiles = {} }: BundleProject, directory: string): void => {
  const scratch = `${directory}.${randomUUID().slice(0, 8)}`;
  try {
    mkdirSync(scratch);
    buildSync({
      ...options,
      absWorkingDir: root,
      entryPoints: Object.entries(entries).map(([name, path]) => ({ in: path, out: join(name, 'index') })),
      outdir: scratch,
    });
    for (const [name, write] of Object.entries(furtherFiles)) write(join(scratch, name));
    renameSync(scratch, directory);
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    if (!existsSync(directory)) throw error;
  }
};

/**
 * Bundles all entries with one run of esbuild, unless the bundles are cached.
 * @returns the folder with `<name>/index.js` and its source map for each entry.
 * @throws Error that names the entries that do not exist, or esbuild's error.
 */
export const bundle = (project: BundleProject): string => {
  const missing = missingEntries(project);
  if (missing.length > 0) {
    throw new Error(`These Lambdas can't be bundled, because the file that exports their handler is missing: ${missing.join(', ')}`);
  }
  const cache = join(project.root, project.cache);
  const directory = join(cache, fingerprint(project));
  mkdirSync(cache, { recursive: true });
  if (existsSync(directory)) utimesSync(directory, new Date(), new Date());
  else buildInto(project, directory);
  removeOldBundles(cache);
  return directory;
};

/** Bundles the project's Lambdas. @returns their code as assets. */
export const bundledLambdas = (root: string): LambdaCode => {
  const sources = ['core', 'lambdas', 'contract', ...siteNames, 'package-lock.json', 'tsconfig.json'];
  const furtherFiles = Object.fromEntries(siteNames.map((name) => [name, (folder: string) => buildSite(root, name, join(folder, siteFolder))]));
  const directory = bundle({ root, entries: lambdaEntries, sources, cache: '.bundles', furtherFiles });
  return (name) => Code.fromAsset(join(directory, name));
};
