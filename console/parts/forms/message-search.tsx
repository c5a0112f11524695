import { Button, Input } from '@cloudscape-design/components';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { activityWords } from '../../words/pages/activity.ts';
import { words } from '../../words/words.ts';

/** The result page of a search for an address, a Message-ID or a submission id. */
export const findPath = (text: string): string => `/activity?find=${encodeURIComponent(text.trim())}`;

/** The page of a sent message's delivery. */
export const messagePath = (submissionId: string): string => `/activity/${encodeURIComponent(submissionId)}`;

/** The page of a received message. */
export const receivedPath = (receivedId: string): string => `/activity/received/${encodeURIComponent(receivedId)}`;

/** Finds a message by an address, a Message-ID or a submission id. @param initial the last search term. */
export const MessageSearch = ({ initial = '', hasButton = false }: { readonly initial?: string; readonly hasButton?: boolean }) => {
  const [text, setText] = useState(initial);
  const navigate = useNavigate();
  const input = (
    <Input
      type="search" value={text} placeholder={hasButton ? activityWords.search.field : words.search.placeholder}
      ariaLabel={hasButton ? activityWords.search.field : words.search.label} onChange={({ detail }) => setText(detail.value)}
    />
  );
  return (
    <form role="search" aria-label={hasButton ? activityWords.search.label : words.search.label} onSubmit={(event) => {
      event.preventDefault();
      if (text.trim() !== '') void navigate(findPath(text));
    }}
    >
      {hasButton ? <div className="message-search">{input}<Button formAction="submit" iconName="search">{activityWords.search.action}</Button></div> : input}
    </form>
  );
};
