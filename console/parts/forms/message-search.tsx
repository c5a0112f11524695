import { Button, Input } from '@cloudscape-design/components';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { activityWords } from '../../words/pages/activity.ts';

/** The result page of a search for an address, a domain, a Message-ID or a submission id. */
export const findPath = (text: string): string => `/activity?find=${encodeURIComponent(text.trim())}`;

/** The page of a sent message's delivery. */
export const messagePath = (submissionId: string): string => `/activity/${encodeURIComponent(submissionId)}`;

/** The page of a received message. */
export const receivedPath = (receivedId: string): string => `/activity/received/${encodeURIComponent(receivedId)}`;

/** Finds a message by an address, a domain, a Message-ID or the id of a message. @param initial the last search term. */
export const MessageSearch = ({ initial = '' }: { readonly initial?: string }) => {
  const [text, setText] = useState(initial);
  const navigate = useNavigate();
  const { search } = activityWords;
  return (
    <form
      role="search"
      aria-label={search.label}
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') void navigate(findPath(text));
      }}
    >
      <div className="message-search">
        <Input type="search" value={text} placeholder={search.field} ariaLabel={search.field} onChange={({ detail }) => setText(detail.value)} />
        <Button formAction="submit" iconName="search">
          {search.action}
        </Button>
      </div>
    </form>
  );
};
