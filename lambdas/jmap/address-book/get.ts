import { addressBook, defaultAddressBookId } from '../../../contract/jmap/address-book.ts';
import type { JsonObject } from '../../../contract/jmap/data-type.ts';
import { isSubscribedBy } from '../../../core/account-log/records/member-subscriptions.ts';
import type { MemberKey } from '../../../core/account-log/records/stored-type.ts';
import { addressBooksOf, type AddressBookRecord } from '../../../core/mail-types/address-book/address-book-type.ts';
import { contactCardsOf } from '../../../core/mail-types/contact-card/contact-card-type.ts';
import type { OpenAccount, RequestContext } from '../request/request-context.ts';
import type { BehaviourOf } from '../request/behaviour.ts';
import { readableRecords } from '../request/plain-records.ts';
import { mayChangeMail } from '../mailbox/mailbox-rights.ts';
import { removeMediaLater } from '../contact-card/prepare-media.ts';
import { addressBookChangeSet } from './set.ts';

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

const asSeenBy = (account: OpenAccount, context: RequestContext) => {
  const mayWrite = mayChangeMail(account, context);
  return (record: AddressBookRecord) => toAddressBook(record, account.member, mayWrite);
};

export const addressBookBehaviour: BehaviourOf<typeof addressBook> = {
  get: {
    records(_args, account, context) {
      const seen = asSeenBy(account, context);
      return readableRecords(addressBook, new Map([...addressBooksOf(account.view)].map(([id, record]) => [id, seen(record)])));
    },
  },
  changes: {},
  set: {
    async prepareChangeSet(_updatedProperties, { destroy, onDestroyRemoveContents, onSuccessSetIsDefault }, account, context) {
      if (onDestroyRemoveContents) {
        const cards = contactCardsOf(account.view).all().filter(({ addressBookIds }) => addressBookIds.some((id) => destroy?.includes(id)));
        await removeMediaLater(cards, account, context);
      }
      return {
        beginChangeSet: (view) => addressBookChangeSet(view, {
          onDestroyRemoveContents, onSuccessSetIsDefault, member: account.member, toAddressBook: asSeenBy(account, context),
        }),
      };
    },
  },
};
