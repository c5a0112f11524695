import { addressBook } from '../../contract/jmap/address-book.ts';
import { blobCopy, blobGet, blobLookup, blobUpload } from '../../contract/jmap/blob.ts';
import { contactCard } from '../../contract/jmap/contact-card.ts';
import type { JsonObject } from '../../contract/jmap/data-type.ts';
import { emailSubmission } from '../../contract/jmap/email-submission.ts';
import { email } from '../../contract/jmap/email.ts';
import { identity } from '../../contract/jmap/identity.ts';
import { mailbox } from '../../contract/jmap/mailbox.ts';
import { coreEcho } from '../../contract/jmap/record.ts';
import { pushSubscription } from '../../contract/jmap/push-subscription.ts';
import { quota } from '../../contract/jmap/quota.ts';
import { searchSnippetGet as searchSnippetGetMethod } from '../../contract/jmap/search-snippet.ts';
import { thread } from '../../contract/jmap/thread.ts';
import { vacationResponse } from '../../contract/jmap/vacation-response.ts';
import { addressBookBehaviour } from './types/address-book/address-book-behaviour.ts';
import { contactCardBehaviour } from './types/contact-card/contact-card-behaviour.ts';
import { copyBlobs } from './types/blob/copy-blobs.ts';
import { getBlobs } from './types/blob/get-blobs.ts';
import { lookupBlobs } from './types/blob/lookup-blobs.ts';
import { uploadBlobs } from './types/blob/upload-blobs.ts';
import { emailSubmissionBehaviour } from './types/email-submission/email-submission-behaviour.ts';
import { emailBehaviour } from './types/email/email-behaviour.ts';
import { identityBehaviour } from './types/identity/identity-behaviour.ts';
import { mailboxBehaviour } from './types/mailbox/mailbox-behaviour.ts';
import { customMethod, type Methods } from './request/method.ts';
import { pushSubscriptionBehaviour } from './types/push-subscription/push-subscription-behaviour.ts';
import { quotaBehaviour } from './types/quota/quota-behaviour.ts';
import { searchSnippetGet } from './types/search-snippet/search-snippet-get.ts';
import { threadBehaviour } from './types/thread/thread-behaviour.ts';
import { vacationResponseBehaviour } from './types/vacation-response/vacation-response-behaviour.ts';
import { recordMethods } from './verbs/record-methods.ts';

/** All JMAP methods. The types that are stored are in `core/mail-types/mail-store/stored-types.ts`. */
export const methods: Methods = new Map([
  customMethod(coreEcho, (args: JsonObject) => args),
  ...recordMethods(mailbox, mailboxBehaviour),
  ...recordMethods(thread, threadBehaviour),
  ...recordMethods(email, emailBehaviour),
  customMethod(searchSnippetGetMethod, searchSnippetGet),
  customMethod(blobCopy, copyBlobs),
  customMethod(blobUpload, uploadBlobs),
  customMethod(blobGet, getBlobs),
  customMethod(blobLookup, lookupBlobs),
  ...recordMethods(identity, identityBehaviour),
  ...recordMethods(emailSubmission, emailSubmissionBehaviour),
  ...recordMethods(quota, quotaBehaviour),
  ...recordMethods(vacationResponse, vacationResponseBehaviour),
  ...recordMethods(addressBook, addressBookBehaviour),
  ...recordMethods(contactCard, contactCardBehaviour),
  ...recordMethods(pushSubscription, pushSubscriptionBehaviour),
]);
