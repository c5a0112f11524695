import { coreEcho as coreEchoName, recordTypes } from '../../contract/jmap/index.ts';
import { emailBehaviour } from './email/index.ts';
import { mailboxBehaviour } from './mailbox/index.ts';
import { coreEcho } from './protocol/core-echo.ts';
import type { Methods } from './protocol/method.ts';
import { pushSubscriptionMethods } from './push-subscription/index.ts';
import { threadBehaviour } from './thread/index.ts';
import { methodsOf } from './verbs/index.ts';

/** Every method there is: a record type's come of its data and its behaviour. */
export const methods: Methods = new Map([
  [coreEchoName, coreEcho] as const,
  ...methodsOf(recordTypes.Mailbox, mailboxBehaviour),
  ...methodsOf(recordTypes.Thread, threadBehaviour),
  ...methodsOf(recordTypes.Email, emailBehaviour),
  ...pushSubscriptionMethods,
]);
