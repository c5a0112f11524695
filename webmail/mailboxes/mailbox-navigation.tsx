import { useMail, useStore } from '../context/mail-context.ts';
import { pathOf } from '../context/route.ts';
import type { Id } from '../jmap/types.ts';
import { octets, words } from '../words/words.ts';
import { mailboxName, mailboxTree } from './mailbox-tree.ts';

export type MailboxNavigationProps = { readonly current: Id | undefined; readonly onChoose: (mailboxId: Id) => void };

/** The mailboxes with their unread messages. */
export const MailboxNavigation = ({ current, onChoose }: MailboxNavigationProps) => {
  const store = useStore();
  const { storage } = useMail();
  return (
    <nav aria-label={words.mailboxes} className="mailboxes">
      <ul>
        {mailboxTree(store.mailboxes()).map(({ mailbox, depth }) => (
          <li key={mailbox.id} style={{ paddingInlineStart: `${Math.min(depth, 8)}rem` }}>
            <a
              href={pathOf({ mailboxId: mailbox.id, threadId: undefined })}
              aria-current={mailbox.id === current ? 'page' : undefined}
              onClick={(event) => {
                if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
                event.preventDefault();
                onChoose(mailbox.id);
              }}
            >
              <bdi>{mailboxName(mailbox)}</bdi>
              {mailbox.unreadEmails > 0 && (
                <>
                  <span className="count" aria-hidden="true">
                    {mailbox.unreadEmails}
                  </span>
                  <span className="visually-hidden">, {words.unread(mailbox.unreadEmails)}</span>
                </>
              )}
            </a>
          </li>
        ))}
      </ul>
      {storage && (
        <p className="storage quiet">
          <meter aria-hidden="true" max={storage.hardLimit} high={0.9 * storage.hardLimit} value={storage.used} />
          {words.storage(octets(storage.used), octets(storage.hardLimit))}
        </p>
      )}
    </nav>
  );
};
