import { contactCard } from '../../../contract/jmap/contact-card.ts';
import { cardOf, contactCardOf } from '../../../core/mail-types/contact-card/contact-card-record.ts';
import { contactCardsOf } from '../../../core/mail-types/contact-card/contact-card-type.ts';
import { SetError } from '../request/jmap-errors.ts';
import { attemptEach, checkState } from '../request/account-commit.ts';
import type { BehaviourOf, CopyBehaviour } from '../request/behaviour.ts';
import { resolveCreationId } from '../request/patch-object.ts';
import { prepareMedia, removeMediaLater } from './prepare-media.ts';
import { ContactCardChangeSet } from './set.ts';
import { contactCardQuery } from './query.ts';

/** ContactCard/copy (RFC 9610 §3.6). A copy has its own blobs. It must name AddressBooks of its account. */
const contactCardCopy: CopyBehaviour = {
  async prepareCopies(copies, from, account, context) {
    const { newId, clock } = context.dependencies;
    const notCreated = new Map<string, SetError>();
    const cards = attemptEach(copies, ({ id, changes: { addressBookIds, ...changes } }) => {
      const original = contactCardsOf(from.view).get(id);
      if (!original) throw new SetError('notFound', 'The ContactCard does not exist in the account of the originals.');
      if (addressBookIds === undefined) {
        throw new SetError('invalidProperties', 'A copy must name AddressBooks of its account.', ['addressBookIds']);
      }
      return { id: newId(), properties: { ...cardOf(original), ...changes, addressBookIds } };
    }, notCreated);
    const media = await prepareMedia(
      [...cards.values()].map(({ id, properties }) => ({ cardId: id, given: properties, current: undefined })), from, account, context,
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

/** ContactCard (RFC 9610 §3). */
export const contactCardBehaviour: BehaviourOf<typeof contactCard> = {
  get: {
    records({ properties: requested }, { view }) {
      const cards = contactCardsOf(view);
      return {
        size: cards.size,
        ids: () => cards.ids(),
        has: (id) => cards.has(id),
        read: (ids, properties) => ids.map((id) => {
          const card = contactCardOf(cards.get(id)!);
          return requested === null ? card : Object.fromEntries(Object.entries(card).filter(([name]) => properties.has(name)));
        }),
      };
    },
  },
  changes: {},
  query: contactCardQuery,
  set: {
    async prepareChangeSet(_updatedProperties, { ifInState, create, update, destroy }, account, context) {
      checkState('ifInState', ifInState, account.view.state(contactCard.name));
      const { newId, clock } = context.dependencies;
      const now = clock();
      const newIds = new Map(Object.keys(create ?? {}).map((creationId) => [creationId, newId()]));
      const idOf = (given: string) => resolveCreationId(given, (creationId) => newIds.get(creationId) ?? context.createdIds.get(creationId));
      const cards = contactCardsOf(account.view);
      await removeMediaLater((destroy ?? []).flatMap((given) => cards.get(idOf(given)) ?? []), account, context);
      const media = await prepareMedia([
        ...Object.entries(create ?? {}).map(([creationId, given]) => ({ cardId: newIds.get(creationId)!, given, current: undefined })),
        ...Object.entries(update ?? {}).map(([given, patch]) => ({ cardId: idOf(given), given: patch, current: cards.get(idOf(given)) })),
      ], account, account, context);
      return { newIds, beginChangeSet: (view) => new ContactCardChangeSet(view, { media, now }) };
    },
  },
  copy: contactCardCopy,
};
