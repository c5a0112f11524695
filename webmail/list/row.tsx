import { memo } from 'react';
import type { SearchSnippet } from '../jmap/types.ts';
import { LabelChips } from '../labels/label-chips.tsx';
import type { Label } from '../labels/label.ts';
import { Snippet } from '../search/snippet.tsx';
import { rowWords, shortTime, words } from '../words/words.ts';
import type { ConversationRow } from './conversation-row.ts';

export type RowProps = {
  readonly row: ConversationRow;
  readonly isActive: boolean;
  readonly isOpen: boolean;
  readonly isTicked: boolean;
  /** The mailbox of a search result. */
  readonly place: string | undefined;
  readonly labels: readonly Label[];
  readonly snippet: SearchSnippet | false | undefined;
  readonly onOpen: (row: ConversationRow) => void;
  readonly onTick: (row: ConversationRow, isRange: boolean) => void;
};

/** A paper clip: the message has attachments. */
const Clip = () => (
  <svg className="clip" viewBox="0 0 16 16" width="13" height="13">
    <path d="M5 6v5a3 3 0 0 0 6 0V4.5a2 2 0 0 0-4 0V11a1 1 0 0 0 2 0V6" fill="none" stroke="currentColor" strokeWidth="1.3" />
  </svg>
);

const RowContent = ({ row, isActive, isOpen, isTicked, place, labels, snippet, onOpen, onTick }: RowProps) => {
  const { newest, people, emails, isUnread, isFlagged } = row;
  const count = emails.length;
  const keywords = new Set(labels.length === 0 ? [] : emails.flatMap((email) => Object.keys(email.keywords)));
  const ofRow = labels.filter(({ keyword }) => keywords.has(keyword));
  return (
    <>
      <div role="gridcell" className="row-tick">
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={words.tickRow(people)}
          checked={isTicked}
          onClick={({ shiftKey }) => onTick(row, shiftKey)}
          onChange={() => undefined}
        />
      </div>
      <div
        role="gridcell"
        tabIndex={isActive ? 0 : -1}
        className={`row-content${isUnread ? ' is-unread' : ''}${isOpen ? ' is-open' : ''}`}
        aria-current={isOpen ? 'true' : undefined}
        onClick={({ shiftKey, ctrlKey, metaKey }) => (shiftKey || ctrlKey || metaKey ? onTick(row, shiftKey) : onOpen(row))}
      >
        <span className="visually-hidden">{rowWords({ isUnread, isFlagged, people, count, newest, place, labels: ofRow.map(({ name }) => name) })}</span>
        <span className="row-top" aria-hidden="true">
          <bdi className="people">{people}</bdi>
          {count > 1 && <span className="count">{count}</span>}
          {place !== undefined && <bdi className="place">{place}</bdi>}
          <time dateTime={newest.receivedAt}>{shortTime(newest.receivedAt)}</time>
        </span>
        <span className="subject" dir="auto" aria-hidden="true">
          {isFlagged && '★ '}
          <LabelChips labels={ofRow} />
          {snippet && snippet.subject ? <Snippet snippet={snippet.subject} /> : newest.subject || words.noSubject}
          {newest.hasAttachment && <Clip />}
        </span>
        <span className="preview" dir="auto" aria-hidden="true">
          {snippet && snippet.preview ? <Snippet snippet={snippet.preview} /> : newest.preview}
        </span>
      </div>
    </>
  );
};

/** A row of the list. It is shown again when what it shows has changed; its callbacks have to remain the same. */
export const Row = memo(
  RowContent,
  (one, other) =>
    one.isActive === other.isActive &&
    one.isOpen === other.isOpen &&
    one.isTicked === other.isTicked &&
    one.place === other.place &&
    one.snippet === other.snippet &&
    one.labels === other.labels &&
    one.row.emails.every(({ keywords }, index) => keywords === other.row.emails[index]?.keywords) &&
    one.row.newest === other.row.newest &&
    one.row.emails.length === other.row.emails.length &&
    one.row.isUnread === other.row.isUnread &&
    one.row.isFlagged === other.row.isFlagged &&
    one.row.people === other.row.people,
);
