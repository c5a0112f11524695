import type { contactCard } from '../../../contract/jmap/contact-card.ts';
import { cardOf } from '../../../core/mail/contact-card/contact-card-record.ts';
import { contactCardsOf } from '../../../core/mail/contact-card/contact-card-type.ts';
import { attemptEach } from '../request/account-commit.ts';
import type { CopyBehaviour } from '../request/behaviour.ts';
import { SetError } from '../request/jmap-errors.ts';
import { prepareMedia } from './prepare-media.ts';
import { ContactCardChangeSet } from './set.ts';

/** ContactCard/copy (RFC 9610 §3.6). A copy has its own blobs. It must name AddressBooks of its account. */
export const contactCardCopy: CopyBehaviour<typeof contactCard> = {
  async prepareCopies(copies, from, account, context) {
    const { newId, clock } = context.dependencies;
    const notCreated = new Map<string, SetError>();
    const cards = attemptEach(
      copies,
      ({ id, changes: { addressBookIds, ...changes } }) => {
        const original = contactCardsOf(from.view).get(id);
        if (!original) throw new SetError('notFound', 'The ContactCard does not exist in the account "fromAccountId".');
        if (addressBookIds === undefined) {
          throw new SetError('invalidProperties', 'A copy must name AddressBooks of its account.', ['addressBookIds']);
        }
        return { id: newId(), properties: { ...cardOf(original), ...changes, addressBookIds } };
      },
      notCreated,
    );
    const media = await prepareMedia(
      [...cards.values()].map(({ id, properties }) => ({ cardId: id, given: properties, current: undefined })),
      from,
      account,
      context,
    );
    return {
      creationIds: [...cards.keys()],
      notCreated,
      beginChangeSet(view) {
        const changeSet = new ContactCardChangeSet(view, { media, now: clock() });
        return {
          create(creationId) {
            const { id, properties } = cards.get(creationId)!;
            changeSet.create(id, properties);
            return id;
          },
          commit: () => changeSet.commit(),
        };
      },
      toResponse: (id) => {
        const { media: stored } = cardOf(contactCardsOf(account.view).get(id)!);
        return { id, ...(stored !== undefined && { media: stored }) };
      },
    };
  },
};
