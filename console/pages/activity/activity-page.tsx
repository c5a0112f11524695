import { Container, Header, StatusIndicator } from '@cloudscape-design/components';
import { Navigate, useSearchParams } from 'react-router';
import { AdminApiError } from '../../../contract/client.ts';
import { maxReferenceLength } from '../../../contract/values/fields.ts';
import { searchTerm } from '../../../contract/values/search-term.ts';
import { useAdminQuery } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { FailedRead } from '../../parts/text/error-text.tsx';
import { PageSkeleton, PartSkeleton } from '../../parts/view/loading.tsx';
import { messagePath, MessageSearch } from '../../parts/forms/message-search.tsx';
import { Page } from '../../parts/view/page.tsx';
import { activityWords } from '../../words/pages/activity.ts';
import { words } from '../../words/words.ts';
import { FeedbackList } from '../feedback/feedback-list.tsx';
import { SuppressionDetails } from '../suppression/suppression-details.tsx';
import { MessageList } from './message-list.tsx';
import { NothingFound } from './not-found.tsx';

export const page: PageDefinition = {
  path: '/activity', title: words.pages.activity, navigation: { group: 'sending', position: 1 },
  methods: { 'mail-feedback': ['ListSentMessages', 'ListFeedbackByRecipient'], suppression: ['GetSuppression'] },
};

const isNotFound = (error: unknown): boolean => error instanceof AdminApiError && error.code === 'not_found';

/** Whether mail is sent to an address, and the reasons why not. */
const SuppressionOf = ({ address }: { readonly address: string }) => {
  const { data, error, refetch } = useAdminQuery('suppression', 'GetSuppression', { recipient: address });
  if (data) {
    return (
      <Container header={<Header variant="h2"><bdi>{address}</bdi></Header>}>
        <SuppressionDetails suppression={data.suppression} isLinked={false} />
      </Container>
    );
  }
  if (isNotFound(error)) return <StatusIndicator type="success">{activityWords.sends}</StatusIndicator>;
  return error ? <FailedRead error={error} onRetry={() => void refetch()} /> : null;
};

/** Messages from and to an address. A Message-ID that looks like an address also finds the message with it. */
const AddressResult = ({ address, typed }: { readonly address: string; readonly typed: string }) => {
  const messages = usePagedList('mail-feedback', 'ListSentMessages', { address }, ({ messages: found }) => found);
  const feedback = usePagedList('mail-feedback', 'ListFeedbackByRecipient', { recipient: address }, ({ feedback: found }) => found);
  const isUnknown = messages.items?.length === 0;
  const byMessageId = useAdminQuery('mail-feedback', 'ListSentMessages', { message_id: typed }, { enabled: isUnknown });
  const [only] = byMessageId.data?.messages ?? [];
  if (isUnknown && only) return <Navigate replace to={messagePath(only.submission_id)} />;
  return (
    <Page title={activityWords.mail(address)}>
      <MessageSearch key={typed} initial={typed} hasButton />
      <SuppressionOf address={address} />
      <MessageList title={activityWords.messages} address={address} source={messages} />
      {isUnknown && <NothingFound {...activityWords.notFound} />}
      <FeedbackList variant="part" title={activityWords.feedback} source={feedback} />
    </Page>
  );
};

/** The messages with a Message-ID. There are several if a message was sent several times. */
const MessageIdResult = ({ id, typed }: { readonly id: string; readonly typed: string }) => {
  const source = usePagedList('mail-feedback', 'ListSentMessages', { message_id: id }, ({ messages }) => messages);
  const [only, ...others] = source.items ?? [];
  if (only && others.length === 0 && !source.readMore) return <Navigate replace to={messagePath(only.submission_id)} />;
  return (
    <Page title={activityWords.withMessageId} description={id}>
      <MessageSearch key={typed} initial={typed} hasButton />
      {source.error ? <FailedRead error={source.error} onRetry={source.refresh} /> : !source.items && <PartSkeleton />}
      {source.items && (only ? <MessageList title={activityWords.messages} source={source} /> : <NothingFound {...activityWords.notFound} />)}
    </Page>
  );
};

/** The message with a submission id, else with an id of SES. */
const IdResult = ({ id, typed }: { readonly id: string; readonly typed: string }) => {
  const { data, error, isLoading, refetch } = useAdminQuery(
    'mail-feedback', 'ListSentMessages', { submission_id: id }, { enabled: id.length <= maxReferenceLength },
  );
  if (data?.messages[0]) return <Navigate replace to={messagePath(data.messages[0].submission_id)} />;
  if (isLoading) return <PageSkeleton />;
  return error ? <FailedRead error={error} onRetry={() => void refetch()} /> : <MessageIdResult id={id} typed={typed} />;
};

const SearchHelp = () => (
  <Page title={activityWords.title}>
    <MessageSearch hasButton />
    <Container header={<Header variant="h2" description={activityWords.help.scope}>{activityWords.help.title}</Header>}>
      <ul className="plain-list">{activityWords.help.items.map((text) => <li key={text}>{text}</li>)}</ul>
    </Container>
  </Page>
);

/** Sent messages, found by an address, a Message-ID or a submission id. */
export const ActivityPage = () => {
  const [search] = useSearchParams();
  const typed = search.get('find')?.trim() ?? '';
  const term = searchTerm(typed);
  switch (term.kind) {
    case 'none': return <SearchHelp />;
    case 'id': return <IdResult key={typed} id={term.id} typed={typed} />;
    case 'messageId': return <MessageIdResult key={typed} id={term.id} typed={typed} />;
    case 'address': return <AddressResult key={typed} address={term.address} typed={typed} />;
    default: return term satisfies never;
  }
};
