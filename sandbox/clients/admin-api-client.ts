import { isObject } from '../../contract/jmap/data-type.ts';
import { codeOf } from '../../contract/values/thrown.ts';
import { SandboxError } from '../process/sandbox-error.ts';

/** Calls an admin method such as `domains/AddDomain`. @throws AdminApiError for an error response. */
export type AdminApiClient = <Answer>(method: string, request: object) => Promise<Answer>;

export class AdminApiError extends SandboxError {
  readonly code: string;
  constructor(method: string, status: number, code: string, message: string) {
    super(`POST /${method} answered ${status} ${code}: ${message}`);
    this.code = code;
  }
}

export const adminApiClient =
  (url: string, token: string, signal: AbortSignal): AdminApiClient =>
  async <Answer>(method: string, request: object): Promise<Answer> => {
    const answer = await fetch(`${url}/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
    });
    const body: unknown = await answer.json().catch(() => ({}));
    if (!answer.ok)
      throw new AdminApiError(method, answer.status, codeOf(body) ?? '', isObject(body) && typeof body['message'] === 'string' ? body['message'] : '');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the callers state the types of the answers
    return body as Answer;
  };

/** All items of a List method, from all pages. */
export const listAll = async <Item>(admin: AdminApiClient, method: string, key: string): Promise<Item[]> => {
  const items: Item[] = [];
  let pageToken = '';
  do {
    const page = await admin<{ readonly next_page_token: string }>(method, { page_size: 100, ...(pageToken ? { page_token: pageToken } : {}) });
    const found: Item[] = Reflect.get(page, key);
    items.push(...found);
    pageToken = page.next_page_token;
  } while (pageToken);
  return items;
};
