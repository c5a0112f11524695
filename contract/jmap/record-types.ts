import { addressBook } from './address-book.ts';
import { contactCard } from './contact-card.ts';
import type { Capability } from './core.ts';
import { emailSubmission } from './email-submission.ts';
import { email } from './email.ts';
import { forwarding } from './forwarding.ts';
import { identity } from './identity.ts';
import { mailbox } from './mailbox.ts';
import { pushSubscription } from './push-subscription.ts';
import { quota } from './quota.ts';
import type { RecordType } from './record.ts';
import { thread } from './thread.ts';
import { vacationResponse } from './vacation-response.ts';

/** All record types. */
export const recordTypes: readonly RecordType[] = [
  mailbox,
  thread,
  email,
  identity,
  emailSubmission,
  vacationResponse,
  forwarding,
  quota,
  pushSubscription,
  addressBook,
  contactCard,
];

const methodNames = ({ name, methods }: RecordType): readonly string[] =>
  methods.map((method) => (typeof method === 'string' ? `${name}/${method}` : method.name));

/**
 * Whether each record type of the capability has methods, and all of them exist. Clients expect this of an advertised
 * capability. For example, some wait for a response to Identity/get when the session has the capability of
 * EmailSubmissions.
 */
export const isComplete = (capability: Capability, methodExists: (name: string) => boolean): boolean =>
  recordTypes.filter((type) => type.capability === capability).every((type) => type.methods.length > 0 && methodNames(type).every(methodExists));
