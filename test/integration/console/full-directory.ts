import { randomUUID } from 'node:crypto';
import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Alias } from '../../../contract/admin/aliases.ts';
import { accountsIn } from '../../../core/directory/accounts/accounts.ts';
import { aliasIdentitiesIn } from '../../../core/directory/aliases/alias-identities.ts';
import { aliasesIn } from '../../../core/directory/aliases/aliases.ts';
import { domainsIn } from '../../../core/directory/domains/domains.ts';
import { inviteUser } from '../../../core/directory/users/invite-user.ts';
import { usersIn } from '../../../core/directory/users/users.ts';
import { identityOfAlias } from '../../../core/mail/identity-type.ts';
import { mailStore, storedAccountIdentities } from '../../../core/mail/mail-store/table-mail-store.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { newId } from '../../../core/runtime/ids.ts';
import { mapConcurrently } from '../../../core/runtime/map-concurrently.ts';
import { suppressionsIn } from '../../../core/sending/feedback/suppressions.ts';
import { dynamodbClient } from '../../../core/storage/dynamodb/dynamodb-client.ts';
import type { Item, Key, Table, TableReference } from '../../../core/storage/table.ts';
import { awsClientConfig } from '../../../sandbox/deployment/aws-target.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { deployed } from '../deployment.ts';

export type DirectorySize = { readonly people: number; readonly domains: number };

const given = ['Ada', 'Bob', 'Carol', 'Deniz', 'Eve', 'Frank', 'Grace', 'Heidi', 'Ivan', 'Zoë'];
const family = ['Abbott', 'Baker', 'Clark', 'Davies', 'Evans', 'Fisher', 'Green', 'Hughes', 'Iqbal', 'Jones'];

/** The name of a person. The family name has the number, so that it is the person's own. */
export const nameOfPerson = (n: number): string => `${given[n % 10]!} ${family[Math.floor(n / 10) % 10]!}${n}`;

/** The first address of a person, and the further one. */
export const addressesOfPerson = (n: number, { domains }: DirectorySize): readonly [string, string] => [
  `person${n}@shop${n % domains}.example`,
  `desk${n}@shop${(7 * n + 1) % domains}.example`,
];

/** Tables in memory that note what is written to them. A write to one may name another. */
const recordedTables = () => {
  const keys = new Map<TableReference, Map<string, Key>>();
  return () => {
    const table = memoryTable();
    keys.set(table.reference, new Map());
    const write: Table['write'] = async (writes) => {
      await table.write(writes);
      for (const each of writes) {
        const { pk, sk } = 'put' in each ? each.put : 'update' in each ? each.update : 'delete' in each ? each.delete : each.check;
        keys.get(each.inTable ?? table.reference)!.set(`${pk} ${sk}`, { pk, sk });
      }
    };
    return { table: { ...table, write }, written: () => table.batchGet([...keys.get(table.reference)!.values()]) };
  };
};

/** Puts items in batches, without the conditions and transactions with which they were first written. */
const putAll = async (client: DynamoDBDocumentClient, table: string, items: readonly Item[]): Promise<void> => {
  const batches = Array.from({ length: Math.ceil(items.length / 25) }, (_, n) => items.slice(25 * n, 25 * (n + 1)));
  await mapConcurrently(
    batches,
    async (batch) => {
      const { UnprocessedItems = {} } = await client.send(
        new BatchWriteCommand({ RequestItems: { [table]: batch.map((Item) => ({ PutRequest: { Item } })) } }),
      );
      expect(UnprocessedItems).toEqual({});
    },
    { atOnce: 8 },
  );
};

/**
 * Fills the directory with domains, and with people who have an account, its address and a further one, by the functions
 * with which the Lambdas store them. They write to tables in memory, which are then copied, because 5,000 people take 290,000
 * items. The identity provider and SES know none of them.
 */
export const fillDirectory = async (size: DirectorySize): Promise<void> => {
  const recorded = recordedTables();
  const [directory, mail] = [recorded(), recorded()];
  const [users, accounts, domains, store] = [
    usersIn(directory.table, systemClock),
    accountsIn(directory.table),
    domainsIn(directory.table),
    mailStore({ table: mail.table }),
  ];
  const aliases = aliasesIn(directory.table, aliasIdentitiesIn(directory.table, storedAccountIdentities(mail.table)), suppressionsIn(memoryTable()));
  const identityProvider = {
    invite: (email: string) => Promise.resolve({ provider: 'cognito', sub: randomUUID(), username: randomUUID(), email, groups: [] }),
  };
  const at = systemClock().toISOString();
  const atOnce = { atOnce: 16 };

  const domainIds = await mapConcurrently(
    Array.from({ length: size.domains }, (_, n) => `shop${n}.example`),
    async (domain) => {
      const { id } = await domains.reserve(domain, newId('domain'));
      const settings = { send_enabled: true, receive_enabled: true, dmarc_enabled: true, dmarc_policy: 'QUARANTINE', spf_mode: 'CREATE_IF_MISSING' } as const;
      const status = { verification_status: 'SUCCESS', dkim_status: 'SUCCESS', dkim_enabled: true, mail_from_domain: `mail.${domain}` } as const;
      await domains.complete({ id, domain, ...settings, ...status, adopted: false, standing_at: at, created_at: at, updated_at: at }, []);
      return id;
    },
    atOnce,
  );
  const domainIdOf = (email: string): string => domainIds[Number(/@shop(\d+)\./.exec(email)![1])]!;

  await mapConcurrently(
    Array.from({ length: size.people }, (_, n) => n),
    async (n) => {
      const [name, sign_in] = [nameOfPerson(n), `person${n}@home.example`];
      const [email, further] = addressesOfPerson(n, size);
      const invited = { email: sign_in, display_name: name, is_admin: false, invitation: undefined, getsPassword: true };
      const { user_id } = await inviteUser({ users, identityProvider, clock: systemClock }, users.reserve(sign_in, newId('user')), invited, () => []);
      const owner = (await users.find(user_id))!;
      const accountId = newId('account');
      const alias = (address: string, is_primary: boolean): Alias => ({
        alias_id: newId('alias'),
        account_id: accountId,
        email: address,
        domain_id: domainIdOf(address),
        is_primary,
        is_active: true,
        is_visible: true,
        can_send_from: true,
        name,
        created_at: at,
        updated_at: at,
      });
      const first = alias(email, true);
      const created = await accounts.create(
        { accountId, name, owner, alias: first, now: new Date(at) },
        () => Promise.resolve([]),
        (writes) => store.createAccount(accountId, writes, { Identity: [identityOfAlias(first, true)] }),
      );
      if (created !== 'created') throw new Error(`${email}: ${created}`);
      await aliases.create(alias(further, false), []);
    },
    atOnce,
  );
  const client = dynamodbClient(awsClientConfig(deployed));
  await putAll(client, deployed.outputs['directoryTableName']!, await directory.written());
  await putAll(client, deployed.outputs['mailTableName']!, await mail.written());
  client.destroy();
};
