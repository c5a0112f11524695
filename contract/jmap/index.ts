import { email } from './email.ts';
import { mailbox } from './mailbox.ts';
import { pushSubscription } from './push-subscription.ts';
import type { RecordType } from './record.ts';
import { thread } from './thread.ts';

/** Every record type there is. A type that is not here does not exist: its methods are unknownMethod. */
export const recordTypes = { Mailbox: mailbox, Thread: thread, Email: email, PushSubscription: pushSubscription } as const satisfies { readonly [name: string]: RecordType };

/** Core/echo is the one method without a record type so far (RFC 8620 §4). */
export const coreEcho = 'Core/echo';
