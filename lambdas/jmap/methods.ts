import { addressBook } from '../../contract/jmap/address-book.ts';
import { blobCopy, blobGet, blobLookup, blobUpload } from '../../contract/jmap/blob.ts';
import { contactCard } from '../../contract/jmap/contact-card.ts';
import { emailSubmission } from '../../contract/jmap/email-submission.ts';
import { email } from '../../contract/jmap/email.ts';
import { forwarding } from '../../contract/jmap/forwarding.ts';
import { identity } from '../../contract/jmap/identity.ts';
import { mailbox } from '../../contract/jmap/mailbox.ts';
import { pushSubscription } from '../../contract/jmap/push-subscription.ts';
import { quota } from '../../contract/jmap/quota.ts';
import { coreEcho } from '../../contract/jmap/record.ts';
import { searchSnippetGet as searchSnippetGetMethod } from '../../contract/jmap/search-snippet.ts';
import { thread } from '../../contract/jmap/thread.ts';
import { vacationResponse } from '../../contract/jmap/vacation-response.ts';
import { addressBookGet } from './address-book/get.ts';
import { addressBookSet } from './address-book/set.ts';
import { copyBlobs } from './blob/copy.ts';
import { getBlobs } from './blob/get.ts';
import { lookupBlobs } from './blob/lookup.ts';
import { uploadBlobs } from './blob/upload.ts';
import { contactCardCopy } from './contact-card/copy.ts';
import { contactCardGet } from './contact-card/get.ts';
import { contactCardQuery } from './contact-card/query.ts';
import { contactCardSet } from './contact-card/set.ts';
import { emailSubmissionGet } from './email-submission/get.ts';
import { emailSubmissionQuery } from './email-submission/query.ts';
import { emailSubmissionSet } from './email-submission/set.ts';
import { emailCopy } from './email/copy.ts';
import { emailGet } from './email/get.ts';
import { importEmails } from './email/import.ts';
import { parseEmails } from './email/parse.ts';
import { emailQuery } from './email/query.ts';
import { emailSet } from './email/set.ts';
import { getForwarding } from './forwarding/get.ts';
import { setForwarding } from './forwarding/set.ts';
import { identityGet } from './identity/get.ts';
import { identitySet } from './identity/set.ts';
import { mailboxChanges } from './mailbox/changes.ts';
import { mailboxGet } from './mailbox/get.ts';
import { mailboxQuery } from './mailbox/query.ts';
import { mailboxSet } from './mailbox/set.ts';
import { pushSubscriptionGet } from './push-subscription/get.ts';
import { pushSubscriptionSet } from './push-subscription/set.ts';
import { quotaChanges } from './quota/changes.ts';
import { quotaGet } from './quota/get.ts';
import { quotaQuery } from './quota/query.ts';
import { customMethod, type Methods } from './request/method.ts';
import { standardMethods } from './request/standard-methods.ts';
import { searchSnippetGet } from './search-snippet/get.ts';
import { threadGet } from './thread/get.ts';
import { vacationResponseGet } from './vacation-response/get.ts';
import { vacationResponseSet } from './vacation-response/set.ts';

/**
 * All JMAP methods, each with the code that its type's contract can't describe. `request/standard-<method>.ts` has the rest of a
 * standard method, and derives /queryChanges from `query`.
 */
export const methods: Methods = new Map([
  [coreEcho.name, { capability: coreEcho.capability, run: (given) => given }],
  ...standardMethods(mailbox, { get: mailboxGet, changes: mailboxChanges, query: mailboxQuery, set: mailboxSet }),
  ...standardMethods(thread, { get: threadGet, changes: {} }),
  ...standardMethods(email, {
    get: emailGet,
    changes: {},
    query: emailQuery,
    set: emailSet,
    copy: emailCopy,
    'Email/import': importEmails,
    'Email/parse': parseEmails,
  }),
  customMethod(searchSnippetGetMethod, searchSnippetGet),
  customMethod(blobCopy, copyBlobs),
  customMethod(blobUpload, uploadBlobs),
  customMethod(blobGet, getBlobs),
  customMethod(blobLookup, lookupBlobs),
  ...standardMethods(identity, { get: identityGet, changes: {}, set: identitySet }),
  ...standardMethods(emailSubmission, { get: emailSubmissionGet, changes: {}, query: emailSubmissionQuery, set: emailSubmissionSet }),
  ...standardMethods(quota, { get: quotaGet, changes: quotaChanges, query: quotaQuery }),
  ...standardMethods(vacationResponse, { get: vacationResponseGet, set: vacationResponseSet }),
  ...standardMethods(forwarding, { 'Forwarding/get': getForwarding, 'Forwarding/set': setForwarding }),
  ...standardMethods(addressBook, { get: addressBookGet, changes: {}, set: addressBookSet }),
  ...standardMethods(contactCard, { get: contactCardGet, changes: {}, query: contactCardQuery, set: contactCardSet, copy: contactCardCopy }),
  ...standardMethods(pushSubscription, { get: pushSubscriptionGet, set: pushSubscriptionSet }),
]);
