import * as z from 'zod';
import { message, method, service } from '../rpc/rpc.ts';
import {
  bool,
  emailAddressOrNone,
  enumeration,
  instant,
  list,
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

/** An account whose addresses are listed. */
export const AliasAccount = message('AliasAccount', { account_id: z.string(), name: z.string() });

export const AliasOrder = enumeration('AliasOrder', ['EMAIL', 'CREATED_AT']);

const sendingOptions = { name: text({ max: 100 }).optional(), reply_to: newEmailAddress().optional(), bcc: newEmailAddress().optional() };

/** The service /aliases (docs/specification.md#aliases). */
export const aliases = service({
  name: 'aliases',
  summary: 'The addresses of accounts.',
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
  },
});
