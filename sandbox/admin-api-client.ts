import { SandboxError } from './sandbox-error.ts';

/** Calls an admin method, `domains/AddDomain`; an answer other than 200 is an {@link AdminApiError}. */
export type AdminApi = <Answer>(method: string, request: object) => Promise<Answer>;

export class AdminApiError extends SandboxError {
  readonly code: string;
  constructor(method: string, status: number, code: string, message: string) {
    super(`POST /${method} answered ${status} ${code}: ${message}`);
    this.code = code;
  }
}

export const adminApiAt = (url: string, token: string, signal: AbortSignal): AdminApi => async (method, request) => {
  const answer = await fetch(`${url}/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
    signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
  });
  const body = await answer.json().catch(() => ({})) as { code?: string; message?: string };
  if (!answer.ok) throw new AdminApiError(method, answer.status, body.code ?? '', body.message ?? '');
  return body as never;
};

/** Everything a List method has, page after page. */
export const allOf = async <Item>(admin: AdminApi, method: string, key: string): Promise<Item[]> => {
  const items: Item[] = [];
  let pageToken = '';
  do {
    const page = await admin<Record<string, unknown>>(method, { page_size: 100, ...(pageToken ? { page_token: pageToken } : {}) });
    items.push(...page[key] as Item[]);
    pageToken = page['next_page_token'] as string;
  } while (pageToken);
  return items;
};
