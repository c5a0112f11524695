import * as z from 'zod';
import { maxForwardAddresses } from '../deployment/sending.ts';
import { message, method, service } from '../rpc/rpc.ts';
import {
  bool,
  count,
  emailAddress,
  emailAddressOrNone,
  enumeration,
  instant,
  list,
  listOf,
  localPart,
  newEmailAddress,
  nextPage,
  ordering,
  paging,
  reference,
  text,
  textOrNone,
} from '../values/fields.ts';

export const Alias = message('Alias', {
  alias_id: z.string(),
  account_id: z.string(),
  email: z.string(),
  domain_id: z.string(),
  /** True for the address with which the account was created. It is deleted only with its account. */
  is_primary: bool(),
  /** Mail to an inactive alias is rejected. */
  is_active: bool(),
  is_visible: bool(),
  can_send_from: bool(),
  /** Display name of mail sent from the alias. */
  name: z.string().optional(),
  reply_to: z.string().optional(),
  bcc: z.string().optional(),
  created_at: instant(),
  updated_at: instant(),
});
export type Alias = z.input<typeof Alias>;

/**
 * An address that a restored account does not get back, with the account or the group that has it now, or the user who signs in with
 * it, or with it and a detail. Without any, its domain was removed, or the holder has given it up meanwhile.
 */
export const AddressNotRestored = message('AddressNotRestored', {
  email: z.string(),
  account_id: z.string().optional(),
  group_id: z.string().optional(),
  user_id: z.string().optional(),
  /** The name of the account, the group or the user. */
  name: z.string().optional(),
});
export type AddressNotRestored = z.input<typeof AddressNotRestored>;

/** An account whose addresses are listed. */
export const AliasAccount = message('AliasAccount', { account_id: z.string(), name: z.string() });

export const AliasOrder = enumeration('AliasOrder', ['EMAIL', 'CREATED_AT']);

/** Maximum members of a group. */
export const maxGroupMembers = 1000;
/** Maximum groups of which each is a member of the one before. */
export const maxGroupLevels = 3;
/** Maximum members that one call adds or removes. */
export const maxChangedMembers = 25;

/**
 * Who may write to a group. PEOPLE_HERE: authors whose address is one of an account here. MEMBERS: authors whose address is
 * one of an account that gets the group's mail, or a member outside. Both count only for messages whose author is proven.
 */
export const GroupWriters = enumeration('GroupWriters', ['ANYONE', 'PEOPLE_HERE', 'MEMBERS']);
export type GroupWriters = z.output<typeof GroupWriters>;

/** An address whose mail goes to its members. */
export const Group = message('Group', {
  group_id: z.string(),
  email: z.string(),
  domain_id: z.string(),
  /** Display name. */
  name: z.string(),
  description: z.string().optional(),
  writers: GroupWriters,
  /** Whether the accounts that are members of the group itself may send from its address. */
  members_may_send: bool(),
  member_count: count(),
  created_at: instant(),
  updated_at: instant(),
});
export type Group = z.input<typeof Group>;

/** A member of a group: an account, another group, or an address outside. */
export const GroupMember = message('GroupMember', {
  /** The account_id, the group_id, or the address outside. */
  member_id: z.string(),
  kind: enumeration('GroupMemberKind', ['ACCOUNT', 'GROUP', 'OUTSIDE']),
  /** The primary address of the account, or the address. Absent for a deleted account, which receives nothing. */
  email: z.string().optional(),
  name: z.string().optional(),
  added_at: instant(),
  /** The reason for which nothing is sent to the address outside now (suppression). Only in the response of ListGroupMembers. */
  paused_reason: z.string().optional(),
});
export type GroupMember = z.input<typeof GroupMember>;

/** Who gets the mail for all addresses at a domain that do not exist. */
export const CatchAll = message('CatchAll', {
  domain_id: z.string(),
  domain: z.string(),
  /** The account_id or the group_id. */
  receiver_id: z.string(),
  kind: enumeration('CatchAllKind', ['ACCOUNT', 'GROUP']),
  /** The primary address of the account, or the address of the group. Absent when it was deleted: then such mail is refused. */
  email: z.string().optional(),
  name: z.string().optional(),
});
export type CatchAll = z.input<typeof CatchAll>;

/** An address to which an account forwards its mail. */
export const ForwardAddress = message('ForwardAddress', {
  email: z.string(),
  /** The account here that has the address. Absent for an address outside. */
  account_id: z.string().optional(),
  /** Whether mail is forwarded to the address: it is one here, or its owner has opened the link that was mailed to it. */
  is_confirmed: bool(),
  /** The reason for which nothing is forwarded to the address now: suppression, `forwardOutside=false`, or a deleted account. Only in the response of GetForwarding. */
  paused_reason: z.string().optional(),
});
export type ForwardAddress = z.input<typeof ForwardAddress>;

/** The addresses to which an account gives the mail that it receives. */
export const Forwarding = message('Forwarding', {
  account_id: z.string(),
  /** Empty: the account forwards nothing. */
  addresses: list(ForwardAddress),
  /** Whether forwarded mail is in the account too. Mail that is not forwarded always is. */
  keep_copy: bool(),
  /** Absent for an account that forwards nothing. */
  updated_at: instant().optional(),
});
export type Forwarding = z.input<typeof Forwarding>;

export const GroupOrder = enumeration('GroupOrder', ['EMAIL', 'NAME', 'CREATED_AT']);

const groupName = text({ max: 100 });
const maxGroupDescription = 500;

const sendingOptions = { name: text({ max: 100 }).optional(), reply_to: newEmailAddress().optional(), bcc: newEmailAddress().optional() };

/** The service /aliases (docs/specification.md#aliases). */
export const aliases = service({
  name: 'aliases',
  summary: 'The addresses of accounts, and those of groups.',
  methods: {
    ListAccountAliases: method({
      summary: 'Lists the addresses of an account, including the primary one.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { account_id: reference() },
      response: { aliases: list(Alias) },
      errors: ['not_found'],
    }),
    ListAliases: method({
      summary: 'Lists the addresses of all accounts, by address without order_by. query finds addresses by their words, and by their names.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { ...paging({ max: 1000, default: 50 }), ...ordering(AliasOrder) },
      response: {
        aliases: list(Alias),
        /** The accounts of these aliases, each once. */
        accounts: list(AliasAccount),
        ...nextPage,
      },
    }),
    CreateAlias: method({
      summary: "Adds an address to an account. Without name, it gets the name of the account's primary alias.",
      changes: true,
      roles: ['HELPDESK'],
      request: {
        account_id: reference(),
        local_part: localPart(),
        domain_id: reference(),
        is_active: bool().default(true),
        is_visible: bool().default(true),
        can_send_from: bool().default(false),
        ...sendingOptions,
      },
      response: { alias: Alias },
      errors: ['not_found', 'failed_precondition', 'already_exists', 'aborted'],
    }),
    UpdateAlias: method({
      summary: 'Changes the given fields. An empty name, reply_to or bcc removes the stored value.',
      changes: true,
      roles: ['HELPDESK'],
      request: {
        alias_id: reference(),
        is_active: bool().optional(),
        is_visible: bool().optional(),
        can_send_from: bool().optional(),
        name: textOrNone({ max: 100 }).optional(),
        reply_to: emailAddressOrNone().optional(),
        bcc: emailAddressOrNone().optional(),
      },
      response: { alias: Alias },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    SetPrimaryAlias: method({
      summary: 'Makes an address the primary one of its account. The former one stays, and can then be moved or deleted.',
      changes: true,
      roles: ['HELPDESK'],
      request: { alias_id: reference() },
      response: { alias: Alias },
      errors: ['not_found', 'aborted'],
    }),
    MoveAlias: method({
      summary:
        'Moves an address to another account, which receives its mail from now on. No mail is refused meanwhile, and received mail stays ' +
        'where it is. The address then only receives: can_send_from is false, name is that of the primary alias, ' +
        'and it has no reply_to and bcc. ' +
        'A primary alias cannot be moved: SetPrimaryAlias makes another one primary.',
      changes: true,
      roles: ['HELPDESK'],
      request: {
        alias_id: reference(),
        /** The account that gets the address. */
        account_id: reference(),
      },
      response: { alias: Alias },
      errors: ['not_found', 'already_exists', 'failed_precondition', 'aborted'],
    }),
    DeleteAlias: method({
      summary: 'Deletes an address. A primary alias is deleted only with its account, or after SetPrimaryAlias made another one primary.',
      changes: true,
      roles: ['HELPDESK'],
      request: { alias_id: reference() },
      response: {},
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    CreateGroup: method({
      summary: 'Creates a group without members at an address that is free. Without name, it gets its address as the name.',
      changes: true,
      roles: ['HELPDESK'],
      request: {
        local_part: localPart(),
        domain_id: reference(),
        name: groupName.optional(),
        description: text({ max: maxGroupDescription }).optional(),
        writers: GroupWriters.default('ANYONE'),
        members_may_send: bool().default(false),
      },
      response: { group: Group },
      errors: ['not_found', 'already_exists', 'aborted'],
    }),
    GetGroup: method({
      summary: 'Returns a group.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { group_id: reference() },
      response: { group: Group },
      errors: ['not_found'],
    }),
    ListGroups: method({
      summary: 'Lists the groups, by address without order_by. query finds groups by the words of their addresses and names.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { ...paging({ max: 1000, default: 50 }), ...ordering(GroupOrder) },
      response: { groups: list(Group), ...nextPage },
    }),
    ListGroupsOfMember: method({
      summary: 'Lists the groups that have an account, or a group, as a member, not those above them. They are ordered by id.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: {
        /** An account_id, a group_id, or an address outside. */
        member_id: reference(),
        ...paging({ max: 1000, default: 50 }),
      },
      response: { groups: list(Group), ...nextPage },
    }),
    UpdateGroup: method({
      summary: 'Changes the given fields. An empty description removes it.',
      changes: true,
      roles: ['HELPDESK'],
      request: {
        group_id: reference(),
        name: groupName.optional(),
        description: textOrNone({ max: maxGroupDescription }).optional(),
        writers: GroupWriters.optional(),
        members_may_send: bool().optional(),
      },
      response: { group: Group },
      errors: ['not_found', 'aborted'],
    }),
    DeleteGroup: method({
      summary:
        'Deletes a group. Its address is free at once, and mail to it is refused. Received mail stays with the members. ' +
        'The next call completes an interrupted one.',
      changes: true,
      roles: ['HELPDESK'],
      request: { group_id: reference() },
      response: {},
      errors: ['not_found', 'aborted'],
    }),
    ListGroupMembers: method({
      summary: 'Lists the members of a group, ordered by member_id.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { group_id: reference(), ...paging({ max: 1000, default: 100 }) },
      response: { members: list(GroupMember), ...nextPage },
      errors: ['not_found'],
    }),
    AddGroupMembers: method({
      summary:
        'Adds the accounts and the groups that have these addresses to a group, and addresses at domains that do not receive mail ' +
        `here. Those that are members already stay so. Groups are members of groups over at most ${maxGroupLevels} levels, and never of themselves.`,
      changes: true,
      roles: ['HELPDESK'],
      request: {
        group_id: reference(),
        /** Addresses of accounts, not only primary ones, of groups, and outside. */
        addresses: listOf(newEmailAddress(), { max: maxChangedMembers }),
      },
      response: {
        group: Group,
        /** The members with these addresses, each once. */
        members: list(GroupMember),
      },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    RemoveGroupMembers: method({
      summary: 'Removes members from a group. Received mail stays with them. Those that are no members are left out.',
      changes: true,
      roles: ['HELPDESK'],
      request: { group_id: reference(), member_ids: listOf(reference(), { max: maxChangedMembers }) },
      response: { group: Group },
      errors: ['not_found', 'aborted'],
    }),
    ListCatchAlls: method({
      summary: 'Lists the domains whose mail for addresses that do not exist goes to an account or a group, by domain.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: {
        /** Only this domain. */
        domain_id: reference().optional(),
      },
      response: { catch_alls: list(CatchAll) },
      errors: ['not_found'],
    }),
    PutCatchAll: method({
      summary:
        'Gives the mail for all addresses at a domain that do not exist to an account or a group. Then no mail for the domain is ' +
        'refused, and its receiver gets the spam for every invented address.',
      changes: true,
      request: {
        domain_id: reference(),
        /** An address of the account, or the address of the group. */
        address: emailAddress(),
      },
      response: { catch_all: CatchAll },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    DeleteCatchAll: method({
      summary: 'Ends that: mail for addresses that do not exist is refused again. Nothing changes for a domain without it.',
      changes: true,
      request: { domain_id: reference() },
      response: {},
      errors: ['not_found', 'aborted'],
    }),
    GetForwarding: method({
      summary: 'Tells where an account forwards its mail.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: { account_id: reference() },
      response: { forwarding: Forwarding },
      errors: ['not_found'],
    }),
    ListForwardings: method({
      summary: 'Lists the accounts that forward their mail. The order is stable but has no meaning.',
      roles: ['HELPDESK', 'READ_ONLY'],
      request: paging({ max: 1000, default: 50 }),
      response: {
        forwardings: list(Forwarding),
        /** The accounts of these forwardings, each once. */
        accounts: list(AliasAccount),
        ...nextPage,
      },
    }),
    PutForwarding: method({
      summary:
        'Forwards the mail of an account to these addresses, and no others. An address at a domain that does not receive mail here ' +
        'is mailed a link, and mail is forwarded to it when its owner has opened the link. A call for an address that is not ' +
        'confirmed mails another link, at most once an hour. An empty list ends the forwarding.',
      changes: true,
      roles: ['HELPDESK'],
      request: { account_id: reference(), addresses: listOf(newEmailAddress(), { max: maxForwardAddresses }), keep_copy: bool().default(true) },
      response: { forwarding: Forwarding },
      errors: ['not_found', 'failed_precondition', 'aborted'],
    }),
    DeleteForwarding: method({
      summary: 'Ends the forwarding of an account. Nothing changes for an account that forwards nothing.',
      changes: true,
      roles: ['HELPDESK'],
      request: { account_id: reference() },
      response: {},
      errors: ['not_found', 'aborted'],
    }),
  },
});
