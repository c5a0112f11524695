import { MethodError, type JmapClient } from './jmap-client.ts';

/** Maximum Emails of one request. It is below the server's limit. */
const maxPage = 2000;

/** An Email in the form in which the server sends it. */
type JsonEmail = never;

type Page = [{ readonly ids: readonly string[] } | undefined, { readonly list: readonly JsonEmail[]; readonly state: string } | undefined];

/**
 * Lists all Emails of the account, oldest first. When mail arrives or is destroyed meanwhile, an Email may be listed
 * twice, but none is left out.
 * @param take called with each Email, with these properties.
 * @returns the state of Emails at the beginning.
 */
export const listEmails = async (client: JmapClient, properties: readonly string[], take: (email: JsonEmail) => void): Promise<string> => {
  const limit = Math.min(maxPage, client.session.limits.maxObjectsInGet);
  const sort = [{ property: 'receivedAt', isAscending: true }];
  let position: Record<string, unknown> = { position: 0 };
  for (let state: string | undefined; ;) {
    const [query, get] = await client
      .call<Page>([
        ['Email/query', { ...position, sort, limit }, 'q'],
        ['Email/get', { '#ids': { resultOf: 'q', name: 'Email/query', path: '/ids' }, properties }, 'g'],
      ])
      .catch((error: unknown): Page => {
        // The last Email of the previous page was destroyed.
        if (error instanceof MethodError && error.type === 'anchorNotFound') return [undefined, undefined];
        throw error;
      });
    if (!query || !get) {
      position = { position: 0 };
      continue;
    }
    state ??= get.state;
    for (const email of get.list) take(email);
    if (query.ids.length === 0) return state;
    position = { anchor: query.ids.at(-1)!, anchorOffset: 1 };
  }
};
