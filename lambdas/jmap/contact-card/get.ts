import type { contactCard } from '../../../contract/jmap/contact-card.ts';
import { contactCardOf } from '../../../core/mail/contact-card/contact-card-record.ts';
import { contactCardsOf } from '../../../core/mail/contact-card/contact-card-type.ts';
import type { BehaviourOf } from '../request/behaviour.ts';

/** ContactCard/get (RFC 9610 §3.1). */
export const contactCardGet: BehaviourOf<typeof contactCard>['get'] = {
  records({ properties: requested }, { view }) {
    const cards = contactCardsOf(view);
    return {
      size: cards.size,
      ids: () => cards.ids(),
      has: (id) => cards.has(id),
      read: (ids, properties) =>
        ids.map((id) => {
          const card = contactCardOf(cards.get(id)!);
          return requested === null ? card : Object.fromEntries(Object.entries(card).filter(([name]) => properties.has(name)));
        }),
    };
  },
};
