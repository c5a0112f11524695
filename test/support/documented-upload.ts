import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';

type UploadLarge = (
  session: object, token: string, accountId: string, content: Uint8Array, type: string | null,
) => Promise<{ readonly id: string; readonly type: string | null; readonly size: number }>;

/** The function `uploadLarge` of docs/clients.md, which sends its requests by `fetch`. */
export const documentedUpload = (fetch: typeof globalThis.fetch): UploadLarge => {
  const guide = readFileSync(join(__dirname, '..', '..', 'docs', 'clients.md'), 'utf8');
  const [, code] = /```js\n(async function uploadLarge[\s\S]*?)```/.exec(guide)!;
  return (compileFunction(`${code}\nreturn uploadLarge;`, ['fetch']) as (send: typeof fetch) => UploadLarge)(fetch);
};
