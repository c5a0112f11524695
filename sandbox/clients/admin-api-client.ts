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
  async (method, request) => {
    const answer = await fetch(`${url}/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
    });
    const body = (await answer.json().catch(() => ({}))) as { code?: string; message?: string };
    if (!answer.ok) throw new AdminApiError(method, answer.status, body.code ?? '', body.message ?? '');
    return body as never;
  };

/** All items of a List method, from all pages. */
export const listAll = async <Item>(admin: AdminApiClient, method: string, key: string): Promise<Item[]> => {
  const items: Item[] = [];
  let pageToken = '';
  do {
    const page = await admin<Record<string, unknown>>(method, { page_size: 100, ...(pageToken ? { page_token: pageToken } : {}) });
    items.push(...(page[key] as Item[]));
    pageToken = page['next_page_token'] as string;
  } while (pageToken);
  return items;
};
