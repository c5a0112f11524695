import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { compressedExtensions, type ContentEncoding } from '../../../contract/deployment/site.ts';

/** The bytes of a file in one encoding, with their strong entity tag. */
export type Representation = { readonly bytes: Buffer; readonly etag: string };

/** A file of a site, in each encoding in which the build wrote it. */
export type SiteFile = {
  readonly contentType: string;
  /** Whether the file never changes, because its name has a hash of its content. */
  readonly isImmutable: boolean;
  /** The uncompressed file. */
  identity(): Representation;
  /** The file in an encoding. Undefined when the build did not write it, because the encoding saves nothing. */
  encoded(encoding: ContentEncoding): Representation | undefined;
};

/** The files of a site by path: `/index.html`, `/assets/…`. */
export type SiteFiles = ReadonlyMap<string, SiteFile>;

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** The folder of files whose names have a hash (Vite: `build.assetsDir`). */
const hashedFolder = '/assets/';

const readRepresentation = (path: string): Representation => {
  const bytes = readFileSync(path);
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
};

/** Reads a file on first use, and keeps it in memory. */
const cached = (path: string): (() => Representation) => {
  let representation: Representation | undefined;
  return () => (representation ??= readRepresentation(path));
};

const siteFile = (file: string, path: string): SiteFile => {
  const encoded = (encoding: ContentEncoding) => {
    const compressedFile = `${file}${compressedExtensions[encoding]}`;
    return existsSync(compressedFile) ? cached(compressedFile) : undefined;
  };
  const encodings = { br: encoded('br'), gzip: encoded('gzip') };
  return {
    contentType: contentTypes[extname(path)] ?? 'application/octet-stream',
    isImmutable: path.startsWith(hashedFolder),
    identity: cached(file),
    encoded: (encoding) => encodings[encoding]?.(),
  };
};

/** The files below a folder. @throws Error when there is no `index.html`. */
export const siteFilesIn = (folder: string): SiteFiles => {
  const compressed = Object.values(compressedExtensions);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !compressed.some((extension) => entry.name.endsWith(extension)))
    .map((entry) => join(entry.parentPath, entry.name));
  const site = new Map(
    files.map((file) => {
      const path = `/${relative(folder, file).split(sep).join('/')}`;
      return [path, siteFile(file, path)];
    }),
  );
  if (!site.has('/index.html')) throw new Error(`the site is not built: there is no index.html in ${folder}`);
  return site;
};
