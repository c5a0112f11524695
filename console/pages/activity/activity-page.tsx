import { Container, Header, StatusIndicator } from '@cloudscape-design/components';
import { useState } from 'react';
import { Navigate, useSearchParams } from 'react-router';
import { AdminApiError } from '../../../contract/client.ts';
import { maxReferenceLength } from '../../../contract/values/fields.ts';
import { isIdOf } from '../../../contract/values/ids.ts';
import { searchTerm } from '../../../contract/values/search-term.ts';
import { useAdminQuery } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { messagePath, MessageSearch, receivedPath } from '../../parts/forms/message-search.tsx';
import { ListFilter } from '../../parts/lists/list-filter.tsx';
import { FailedRead } from '../../parts/text/error-text.tsx';
import { Isolated } from '../../parts/text/isolated.tsx';
import { PageSkeleton, PartSkeleton } from '../../parts/view/loading.tsx';
import { Page } from '../../parts/view/page.tsx';
import { activityWords } from '../../words/pages/activity.ts';
import { stateOptions } from '../../words/states.ts';
import { words } from '../../words/words.ts';
import { FeedbackList } from '../feedback/feedback-list.tsx';
import { SuppressionDetails } from '../suppression/suppression-details.tsx';
import { AddressFacts } from './address-facts.tsx';
import { stateKinds, type MailDirection } from './mail-item.ts';
import { MailList } from './mail-list.tsx';
import { NothingFound } from './not-found.tsx';
import { useMail, type MailFilter } from './use-mail.ts';

export const page: PageDefinition = {
  path: '/activity',
  title: words.pages.activity,
  navigation: { group: 'sending', position: 1 },
  methods: {
    'mail-feedback': ['ListReceivedMessages', 'ListSentMessages', 'ListFeedbackByRecipient'],
    accounts: ['FindAddress'],
    suppression: ['GetSuppression'],
  },
};

const isNotFound = (error: unknown): boolean => error instanceof AdminApiError && error.code === 'not_found';

/**
 * Whether mail is sent to an address, and the reasons why not. Where nothing is suppressed, the facts of an address here say
 * what becomes of its mail.
 */
const SuppressionOf = ({ address }: { readonly address: string }) => {
  const { data: found } = useAdminQuery('accounts', 'FindAddress', { address });
  const { data, error, refetch } = useAdminQuery('suppression', 'GetSuppression', { recipient: address });
  if (data) {
    return (
      <Container
        header={
          <Header variant="h2">
            <Isolated>{address}</Isolated>
          </Header>
        }
      >
        <SuppressionDetails suppression={data.suppression} isLinked={false} />
      </Container>
    );
  }
  if (isNotFound(error)) return found?.kind === 'OUTSIDE' && <StatusIndicator type="success">{activityWords.sends}</StatusIndicator>;
  return error ? <FailedRead error={error} onRetry={() => void refetch()} /> : null;
};

/** Facts about an address, and the messages from and to it. A Message-ID that looks like an address also finds the message with it. */
const AddressResult = ({ address, typed }: { readonly address: string; readonly typed: string }) => {
  const messages = useMail({ address });
  const feedback = usePagedList('mail-feedback', 'ListFeedbackByRecipient', { recipient: address }, ({ feedback: found }) => found);
  const isUnknown = messages.items?.length === 0 && !messages.readMore;
  const [only] = useMail({ message_id: typed }, { enabled: isUnknown }).items ?? [];
  if (only) return <Navigate replace to={only.path} />;
  return (
    <Page title={activityWords.mail(address)}>
      <MessageSearch key={typed} initial={typed} />
      <AddressFacts address={address} />
      <SuppressionOf address={address} />
      <MailList title={activityWords.messages} address={address} source={messages} />
      {isUnknown && <NothingFound {...activityWords.notFound} />}
      <FeedbackList variant="part" title={activityWords.feedback} source={feedback} />
    </Page>
  );
};

/** The messages with a Message-ID. There are several if a message was sent several times, or sent and received here. */
const MessageIdResult = ({ id, typed }: { readonly id: string; readonly typed: string }) => {
  const source = useMail({ message_id: id });
  const [only, ...others] = source.items ?? [];
  if (only && others.length === 0 && !source.readMore) return <Navigate replace to={only.path} />;
  return (
    <Page title={activityWords.withMessageId} description={id}>
      <MessageSearch key={typed} initial={typed} />
      {source.error ? <FailedRead error={source.error} onRetry={source.refresh} /> : !source.items && <PartSkeleton />}
      {source.items && (only ? <MailList title={activityWords.messages} source={source} /> : <NothingFound {...activityWords.notFound} />)}
    </Page>
  );
};

/** The message with the id of a record, else with an id of SES. */
const IdResult = ({ id, typed }: { readonly id: string; readonly typed: string }) => {
  const isReceived = isIdOf('received', id);
  const { data, error, isLoading, refetch } = useAdminQuery(
    'mail-feedback',
    'ListSentMessages',
    { submission_id: id },
    { enabled: !isReceived && id.length <= maxReferenceLength },
  );
  if (isReceived) return <Navigate replace to={receivedPath(id)} />;
  if (data?.messages[0]) return <Navigate replace to={messagePath(data.messages[0].submission_id)} />;
  if (isLoading) return <PageSkeleton />;
  return error ? <FailedRead error={error} onRetry={() => void refetch()} /> : <MessageIdResult id={id} typed={typed} />;
};

/** Milliseconds of the choices of the time. */
const spans = new Map(Object.entries({ hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000 }));

const isDirection = (value: string | null): value is MailDirection => value === 'received' || value === 'sent';

/** All mail, or that of a domain, received and sent, newest first. The filters are in the URL, so that a view can be shared. */
const AllMail = ({ domain }: { readonly domain?: string }) => {
  const [search, setSearch] = useSearchParams();
  const [openedAt] = useState(Date.now);
  const chosen = search.get('direction');
  const direction = isDirection(chosen) ? chosen : undefined;
  const [state, since] = [search.get('state') ?? '', search.get('since') ?? ''];
  const span = spans.get(since);
  const filter: MailFilter = {
    direction,
    ...(domain !== undefined && { domain }),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API refuses a text in the URL that is no outcome
    ...(direction === 'received' && state && { outcome: state as NonNullable<MailFilter['outcome']> }),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API refuses a text in the URL that is no state
    ...(direction === 'sent' && state && { state: state as NonNullable<MailFilter['state']> }),
    ...(span !== undefined && { since: new Date(openedAt - span).toISOString() }),
  };
  const set = (changes: Record<string, string>): void => {
    const next = Object.entries({ find: search.get('find') ?? '', direction: direction ?? '', state, since, ...changes }).filter(([, value]) => value !== '');
    setSearch(Object.fromEntries(next), { replace: true });
  };
  const filters = (
    <>
      <ListFilter
        label={activityWords.filters.direction}
        all={activityWords.filters.all}
        value={direction ?? ''}
        options={Object.entries(activityWords.directions).map(([value, label]) => ({ value, label }))}
        onChange={(value) => set({ direction: value, state: '' })}
      />
      {direction && (
        <ListFilter
          label={activityWords.filters.state}
          all={activityWords.filters.all}
          value={state}
          options={stateOptions(stateKinds[direction])}
          onChange={(value) => set({ state: value })}
        />
      )}
      <ListFilter
        label={activityWords.filters.since}
        all={activityWords.filters.all}
        value={since}
        options={Object.entries(activityWords.since).map(([value, label]) => ({ value, label }))}
        onChange={(value) => set({ since: value })}
      />
    </>
  );
  return (
    <Page title={domain === undefined ? activityWords.title : activityWords.mail(domain)}>
      <MessageSearch key={domain} initial={domain && `@${domain}`} />
      <MailList title={activityWords.messages} source={useMail(filter)} filters={filters} />
    </Page>
  );
};

/** Received and sent messages, and the search for an address, a domain, a Message-ID or the id of a message. */
export const ActivityPage = () => {
  const [search] = useSearchParams();
  const typed = search.get('find')?.trim() ?? '';
  const term = searchTerm(typed);
  switch (term.kind) {
    case 'none':
      return <AllMail />;
    case 'domain':
      return <AllMail domain={term.domain} />;
    case 'id':
      return <IdResult key={typed} id={term.id} typed={typed} />;
    case 'messageId':
      return <MessageIdResult key={typed} id={term.id} typed={typed} />;
    case 'address':
      return <AddressResult key={typed} address={term.address} typed={typed} />;
    default:
      return term satisfies never;
  }
};
