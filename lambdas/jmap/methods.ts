import { coreEcho as coreEchoName, recordTypes } from '../../contract/jmap/index.ts';
import { emailBehaviour } from './email/email-behaviour.ts';
import { mailboxBehaviour } from './mailbox/mailbox-behaviour.ts';
import { coreEcho } from './protocol/core-echo.ts';
import type { Methods } from './protocol/method.ts';
import { pushSubscriptionMethods } from './push-subscription/push-subscription-behaviour.ts';
import { threadBehaviour } from './thread/thread-behaviour.ts';
import { methodsOf } from './verbs/record-methods.ts';

/** Every method there is: a record type's come of its data and its behaviour. */
export const methods: Methods = new Map([
  [coreEchoName, coreEcho] as const,
  ...methodsOf(recordTypes.Mailbox, mailboxBehaviour),
  ...methodsOf(recordTypes.Thread, threadBehaviour),
  ...methodsOf(recordTypes.Email, emailBehaviour),
  ...pushSubscriptionMethods,
]);
