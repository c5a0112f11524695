import { directoryKeys } from '../../../contract/deployment/keys.ts';
import { emptyHead, encodeHead } from '../../../core/account-log/head.ts';
import { accountsIn } from '../../../core/directory/accounts/accounts.ts';
import { listingWrites, readListedPage } from '../../../core/directory/listings.ts';
import { findSimilarIn } from '../../../core/directory/similar.ts';
import { memberWrites } from '../../../core/directory/users/members.ts';
import { usersIn } from '../../../core/directory/users/users.ts';
import { mailStore } from '../../../core/mail/mail-store/table-mail-store.ts';
import { itemOf, type Table, type Write } from '../../../core/storage/table.ts';
import { listAccounts } from '../../../lambdas/admin/accounts/list-accounts.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { TableMeter, type TableUsage } from './table-meter.ts';

/** The size of the directory. */
export const directorySize = { people: 5000, domains: 1000 } as const;

const created_at = '2026-11-21T08:38:00.000Z';
/** The head of an account that has been used for a while. */
const head = {
  ...emptyHead,
  sequence: 812,
  states: { Email: 812, Mailbox: 790, Thread: 812, Identity: 1, ContactCard: 650, EmailSubmission: 650 },
  roles: { inbox: 'mb1', archive: 'mb2', drafts: 'mb3', sent: 'mb4', junk: 'mb5', trash: 'mb6' },
  bytes: 123_456_789,
  messages: 4321,
};
const given = ['Zoë', 'Ada', 'Bob', 'Carol', 'Deniz', 'Eve', 'Frank', 'Grace', 'Heidi', 'Ivan'];

const userId = (n: number): string => `user_${String(n % directorySize.people).padStart(22, '0')}`;

/** The members of a person's account. One of ten is shared, with four more people. */
const membersOf = (n: number): readonly string[] => Array.from({ length: n % 10 === 0 ? 5 : 1 }, (_, index) => userId(n + 7 * index));

/** Stores people with an account and an address of their own, and domains, with the attributes that their rows have. */
const fill = async (table: Table, mail: Table): Promise<void> => {
  const put = (writes: readonly Write[]) => Promise.all(writes.map((write) => table.write([write])));
  for (let n = 0; n < directorySize.people; n += 1) {
    const name = `${given[n % given.length]!} Quill${n}`;
    const user = {
      user_id: userId(n),
      name,
      display_name: name,
      primary_email: `person${n}@outside.example`,
      primary_account_id: `acc_${String(n).padStart(22, '0')}`,
      is_active: true,
      is_admin: n % 1000 === 0,
      is_deleted: false,
      idp_identities: [{ provider: 'cognito', sub: 's'.repeat(36), username: 'u'.repeat(36), email: `person${n}@outside.example`, groups: [] }],
      created_at,
      updated_at: created_at,
      temporary_password_at: created_at,
      version: 1,
    };
    const account = {
      account_id: user.primary_account_id,
      name,
      email: `sales${n}@firm.example`,
      owner_id: user.user_id,
      is_owners_primary: true,
      member_count: membersOf(n).length,
      created_at,
    };
    const alias = {
      alias_id: `alias_${n}`,
      account_id: account.account_id,
      email: account.email,
      name,
      domain_id: 'dom_1',
      created_at,
      updated_at: created_at,
    };
    const membership = { accountId: account.account_id, accountName: name, createdAt: created_at, updatedAt: created_at };
    await put([
      { put: itemOf(directoryKeys.user(user.user_id), user) },
      { put: itemOf(directoryKeys.account(account.account_id), account) },
      { put: itemOf(directoryKeys.alias(alias.alias_id), alias) },
      ...membersOf(n).flatMap((principalId, index) =>
        memberWrites({ ...membership, principalId, role: index === 0 ? 'ADMIN' : 'WRITE', isOwner: index === 0 }),
      ),
      { put: encodeHead(account.account_id, head), inTable: mail.reference },
      ...listingWrites('user', undefined, user),
      ...listingWrites('account', undefined, account),
      ...listingWrites('alias', undefined, alias),
    ]);
  }
  for (let n = 0; n < directorySize.domains; n += 1) {
    const domain = { id: `dom_${n}`, domain: `shop${n}.example.org`, created_at };
    await put([{ put: itemOf(directoryKeys.domain(domain.id), domain) }, ...listingWrites('domain', undefined, domain)]);
  }
};

/** Counts pages of 50 of the lists of the directory. */
export const countDirectory = async (): Promise<Readonly<Record<string, TableUsage>>> => {
  const meter = new TableMeter();
  const table = memoryTable();
  const mail = memoryTable();
  await fill(table, mail);
  const watched = meter.watch(table);
  const [users, accounts] = [usersIn(watched, () => new Date(created_at)), accountsIn(watched)];
  const withUse = listAccounts({ accounts, mailStore: mailStore({ table: meter.watch(mail) }) }).prefetch!;
  const page = { order: 'name', descending: false };
  const byEmail = { order: 'email', descending: false };
  const read = (kind: 'alias' | 'domain', order: string) =>
    readListedPage(watched, kind, { order, descending: false }, undefined, 50, {
      keyOf: kind === 'alias' ? directoryKeys.alias : directoryKeys.domain,
      toRow: ({ sk }) => sk,
    });
  return {
    'users by name': await meter.measure(() => users.listed(page, undefined, 50)),
    'users found by a name that one in ten has': await meter.measure(() => users.listed({ ...page, query: 'zoe' }, undefined, 50)),
    'users found by two words': await meter.measure(() => users.listed({ ...page, query: 'zoe quill4990' }, undefined, 50)),
    'users found by an address': await meter.measure(() => users.listed({ ...page, query: 'sales4990@firm.example' }, undefined, 50)),
    'admins among users': await meter.measure(() => users.listed({ ...page, facts: { is_admin: true } }, undefined, 50)),
    'accounts by address': await meter.measure(() => accounts.listed(byEmail, undefined, 50)),
    'accounts with their use': await meter.measure(() =>
      withUse({ order_by: 'EMAIL', descending: false, include_use: true, page_size: 50 }, { pageAfter: undefined }),
    ),
    'similar to a slip': await meter.measure(() => findSimilarIn(watched)('zeo qiull4990')),
    'aliases by address': await meter.measure(() => read('alias', 'email')),
    'domains by name': await meter.measure(() => read('domain', 'domain')),
  };
};
