import type { Account } from '../contract/admin/accounts.ts';
import type { Group } from '../contract/admin/aliases.ts';
import type { Domain } from '../contract/admin/domains.ts';
import type { User } from '../contract/admin/users.ts';
import type { AdminClient } from '../contract/client.ts';

type Page = { readonly next_page_token?: string | undefined };

/** Reads all pages of a list. */
export const everyPage = async <Response extends Page, Item>(
  list: (paging: { readonly page_token?: string }) => Promise<Response>,
  itemsOf: (page: Response) => readonly Item[],
): Promise<Item[]> => {
  const items: Item[] = [];
  for (let token: string | undefined; token !== '';) {
    const page = await list(token === undefined ? {} : { page_token: token });
    items.push(...itemsOf(page));
    token = page.next_page_token ?? '';
  }
  return items;
};

export const allUsers = (client: AdminClient): Promise<User[]> =>
  everyPage(
    (paging) => client.users.ListUsers({ page_size: 1000, ...paging }),
    (page) => page.users,
  );
export const allAccounts = (client: AdminClient): Promise<Account[]> =>
  everyPage(
    (paging) => client.accounts.ListAccounts({ page_size: 1000, ...paging }),
    (page) => page.accounts,
  );
export const allGroups = (client: AdminClient): Promise<Group[]> =>
  everyPage(
    (paging) => client.aliases.ListGroups({ page_size: 1000, ...paging }),
    (page) => page.groups,
  );
export const allDomains = (client: AdminClient): Promise<Domain[]> =>
  everyPage(
    (paging) => client.domains.ListDomains({ page_size: 100, ...paging }),
    (page) => page.domains,
  );
