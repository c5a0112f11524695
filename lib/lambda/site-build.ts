import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { compressedExtensions, type ContentEncoding } from '../../contract/deployment/site.ts';
import { entriesOf } from '../../contract/values/typed-entries.ts';

const compress: { readonly [Encoding in ContentEncoding]: (content: Buffer) => Buffer } = {
  br: (content) => brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
  gzip: (content) => gzipSync(content, { level: 9 }),
};

/** Octets below which a file is not compressed, because compression saves nothing. */
const minCompressed = 1_024;

/** Writes each file of a folder in every encoding beside it. */
const writeCompressed = (folder: string): void => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const entry of files) {
    const path = join(entry.parentPath, entry.name);
    const content = readFileSync(path);
    if (content.length < minCompressed) continue;
    for (const [encoding, extension] of entriesOf(compressedExtensions)) {
      const compressed = compress[encoding](content);
      if (compressed.length < content.length) writeFileSync(`${path}${extension}`, compressed);
    }
  }
};

/** The sites: folders with a Vite configuration. Each has the Lambda of the same name. */
export const siteNames = ['console', 'webmail'] as const;

/**
 * Builds a site with Vite into a folder. Each file is also stored compressed, so that the Lambda need not compress it.
 * @throws Error with Vite's output when the build fails.
 */
export const buildSite = (root: string, name: (typeof siteNames)[number], folder: string): void => {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [vite, 'build', '--config', join(root, name, 'vite.config.ts'), '--outDir', folder, '--emptyOutDir', '--logLevel', 'error'],
    { cwd: join(root, name), encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`The ${name} can't be built:\n${stdout}${stderr}`);
  writeCompressed(folder);
};
