import { addressBook, defaultAddressBookId } from '../../../contract/jmap/address-book.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { isSubscribedBy } from '../../../core/account-log/records/member-subscriptions.ts';
import type { MemberKey } from '../../../core/account-log/records/stored-type.ts';
import { addressBooksOf, type AddressBookRecord } from '../../../core/mail/address-book-type.ts';
import { mayChangeMail } from '../mailbox/mailbox-rights.ts';
import type { BehaviourOf } from '../request/behaviour.ts';
import { readableRecords } from '../request/plain-records.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';

/** All properties of an AddressBook as the caller sees it (RFC 9610 §2). */
const toAddressBook = (record: AddressBookRecord, member: MemberKey, mayWrite: boolean): JsonObject => {
  const { subscribers: _others, ...stored } = record;
  return {
    ...stored,
    isSubscribed: isSubscribedBy(record, member),
    shareWith: null,
    myRights: { mayRead: true, mayWrite, mayShare: false, mayDelete: mayWrite && record.id !== defaultAddressBookId },
  };
};

/** Makes a function that returns AddressBooks as the caller sees them. */
export const asSeenBy = (account: OpenAccount, context: RequestContext) => {
  const mayWrite = mayChangeMail(account, context);
  return (record: AddressBookRecord) => toAddressBook(record, account.member, mayWrite);
};

/** AddressBook/get (RFC 9610 §2.1). */
export const addressBookGet: BehaviourOf<typeof addressBook>['get'] = {
  records(_args, account, context) {
    const seen = asSeenBy(account, context);
    return readableRecords(addressBook, new Map([...addressBooksOf(account.view)].map(([id, record]) => [id, seen(record)])));
  },
};
