import type { Service } from '../rpc/rpc.ts';
import { accounts } from './accounts.ts';
import { aliases } from './aliases.ts';
import { audit } from './audit.ts';
import { changeRequests } from './change-requests.ts';
import { domains } from './domains.ts';
import { emailIdentities } from './email-identities.ts';
import { mailFeedback } from './mail-feedback.ts';
import { monitoring } from './monitoring.ts';
import { setup } from './setup.ts';
import { status } from './status.ts';
import { support } from './support.ts';
import { suppression } from './suppression.ts';
import { users } from './users.ts';

/**
 * Every service of the admin API by its name (docs/specification.md#urls-and-routes).
 * The name is the base path without the slash, and the folder of the service's Lambda.
 */
export const services = {
  domains,
  'email-identities': emailIdentities,
  accounts,
  'change-requests': changeRequests,
  support,
  monitoring,
  'mail-feedback': mailFeedback,
  status,
  users,
  aliases,
  suppression,
  audit,
  setup,
} as const satisfies { readonly [Name in string]: Service };

export type ServiceName = keyof typeof services;
