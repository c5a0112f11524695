import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';

type UploadLarge = (
  session: object,
  token: string,
  accountId: string,
  content: Uint8Array,
  type: string | null,
) => Promise<{ readonly id: string; readonly type: string | null; readonly size: number }>;

type SaveDraft = (
  session: object,
  token: string,
  accountId: string,
  draft: {
    readonly from: readonly object[];
    readonly to: readonly object[];
    readonly subject: string;
    readonly text: string;
    readonly file: { readonly content: Uint8Array; readonly type: string; readonly name: string };
  },
) => Promise<{ readonly id: string; readonly blobId: string; readonly threadId: string; readonly size: number }>;

/** A function of docs/clients.md, which sends its requests by `fetch`. */
const documentedFunction = (name: string, fetch: typeof globalThis.fetch): unknown => {
  const guide = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'clients.md'), 'utf8');
  const [, code] = new RegExp(`\`\`\`js\\n(async function ${name}[^]*?)\`\`\``).exec(guide)!;
  return (compileFunction(`${code}\nreturn ${name};`, ['fetch']) as (send: typeof fetch) => unknown)(fetch);
};

export const documentedUpload = (fetch: typeof globalThis.fetch): UploadLarge => documentedFunction('uploadLarge', fetch) as UploadLarge;
/** A file of a page or a program that uses the library jmap-jam. */
type UploadWithJam = (client: object, accountId: string, file: Blob) => Promise<string>;

export const documentedUploadWithJam = documentedFunction('uploadWithJam', globalThis.fetch) as UploadWithJam;
export const documentedSaveDraft = (fetch: typeof globalThis.fetch): SaveDraft => documentedFunction('saveDraft', fetch) as SaveDraft;
