import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { directoryPartitions } from '../../contract/deployment/keys.ts';
import { keysOf } from '../../contract/values/typed-entries.ts';
import { allowAuditEntries, allowItems, each } from '../state/allow-items.ts';

type DirectoryWrites = { readonly [Action in 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem']: readonly string[] };

const {
  users,
  userEmails,
  userRemovals,
  identities,
  admins,
  accounts,
  accountRemovals,
  removedAccounts,
  aliases,
  groups,
  outsideMembers,
  forwardings,
  addresses,
  domains,
  domainNames,
  identityTasks,
  setup,
} = directoryPartitions;
const memberships = each(directoryPartitions.memberships);
const accountMembers = each(directoryPartitions.accountMembers);
const removedMembers = each(directoryPartitions.removedMembers);
const accountAliases = each(directoryPartitions.accountAliases);
const groupMembers = each(directoryPartitions.groupMembers);
const groupsOfMember = each(directoryPartitions.groupsOfMember);
const listEntries = each(directoryPartitions.listEntries);
const domainRecords = each(directoryPartitions.domainRecords);

/** The partitions of people, accounts and addresses that each Lambda writes, beside the audit log. */
const directoryWrites = {
  users: {
    PutItem: [users, userEmails, userRemovals, identities, memberships, accountMembers, listEntries],
    UpdateItem: [users, userEmails, admins, accounts],
    DeleteItem: [userEmails, userRemovals, memberships, accountMembers, listEntries],
    ConditionCheckItem: [users, userEmails, addresses, admins],
  },
  accounts: {
    PutItem: [accounts, accountMembers, memberships, accountRemovals, removedMembers, addresses, aliases, accountAliases, listEntries],
    UpdateItem: [accounts, memberships, accountRemovals, addresses, aliases, accountAliases, domains, users],
    DeleteItem: [accounts, accountMembers, memberships, accountRemovals, removedMembers, addresses, aliases, accountAliases, listEntries],
    ConditionCheckItem: [accounts, accountRemovals, addresses, users, userEmails, admins],
  },
  aliases: {
    PutItem: [addresses, aliases, accountAliases, groups, groupMembers, groupsOfMember, outsideMembers, forwardings, listEntries],
    UpdateItem: [accounts, addresses, aliases, accountAliases, groups, domains, domainNames, identityTasks],
    DeleteItem: [addresses, aliases, accountAliases, groups, groupMembers, groupsOfMember, outsideMembers, forwardings, listEntries],
    ConditionCheckItem: [accounts, domains, userEmails, admins],
  },
  domains: {
    PutItem: [domains, domainNames, domainRecords, listEntries],
    UpdateItem: [domains, domainNames, identityTasks, setup],
    DeleteItem: [domains, domainNames, domainRecords, listEntries],
    ConditionCheckItem: [domains, addresses],
  },
  'first-admin': {
    PutItem: [users, userEmails, identities, memberships, listEntries],
    UpdateItem: [users, userEmails, admins],
    DeleteItem: [userEmails],
    ConditionCheckItem: [users, addresses],
  },
  'account-removal': {
    PutItem: [removedMembers, removedAccounts],
    UpdateItem: [accounts, accountRemovals, userRemovals, admins, addresses, domains, groups],
    DeleteItem: [
      accountRemovals,
      removedMembers,
      accountMembers,
      memberships,
      aliases,
      accountAliases,
      groupMembers,
      groupsOfMember,
      forwardings,
      addresses,
      userRemovals,
      users,
      userEmails,
      identities,
      listEntries,
    ],
    ConditionCheckItem: [accountRemovals],
  },
} as const satisfies Record<string, DirectoryWrites>;

/** Allows the writes of a Lambda that changes people, accounts or addresses. */
export const allowDirectoryWrites = (grantee: IGrantable, table: ITableV2, name: keyof typeof directoryWrites): void => {
  const writes: DirectoryWrites = directoryWrites[name];
  for (const action of keysOf(writes)) allowItems(grantee, table, [action], ...writes[action]);
  allowAuditEntries(grantee, table);
};

/** Whether a Lambda changes people, accounts or addresses. */
export const writesDirectory = (name: string): name is keyof typeof directoryWrites => name in directoryWrites;
