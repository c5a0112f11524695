import { Button, SegmentedControl } from '@cloudscape-design/components';
import { useNavigate, useSearchParams } from 'react-router';
import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { useTitle } from '../../page/page-frame.tsx';
import { ReputationCharts } from '../../parts/charts/reputation-charts.tsx';
import { Page } from '../../parts/view/page.tsx';
import { chartWords } from '../../words/pages/monitoring.ts';
import { feedbackWords } from '../../words/pages/sending.ts';
import { stateWords } from '../../words/states.ts';
import { words } from '../../words/words.ts';
import { FeedbackList, useSenderNames } from './feedback-list.tsx';

export const page: PageDefinition = {
  path: '/feedback',
  title: words.pages.feedback,
  navigation: { group: 'sending', position: 3 },
  methods: {
    'mail-feedback': ['ListRecentFeedback', 'ListFeedbackByIdentity'],
    domains: ['ListDomains'],
    'email-identities': ['ListEmailIdentities'],
    monitoring: ['GetMetricSeries'],
    status: ['GetStatus'],
  },
};

type FeedbackType = 'BOUNCE' | 'COMPLAINT';

const RecentFeedback = ({ type, onType }: { readonly type: FeedbackType | undefined; readonly onType: (type: string) => void }) => {
  const source = usePagedList('mail-feedback', 'ListRecentFeedback', type ? { type } : {}, ({ feedback }) => feedback);
  const option = (id: FeedbackType) => ({ id, text: stateWords('feedback', id)?.label ?? id });
  return (
    <FeedbackList
      variant="part"
      title={feedbackWords.newest}
      source={source}
      actions={
        <SegmentedControl
          label={feedbackWords.columns.type}
          selectedId={type ?? ''}
          onChange={({ detail }) => onType(detail.selectedId)}
          options={[{ id: '', text: feedbackWords.all }, option('BOUNCE'), option('COMPLAINT')]}
        />
      }
    />
  );
};

const IdentityFeedback = ({ identity }: { readonly identity: string }) => {
  useTitle(words.pages.feedback);
  const navigate = useNavigate();
  const names = useSenderNames();
  const source = usePagedList('mail-feedback', 'ListFeedbackByIdentity', { identity_id: identity }, ({ feedback }) => feedback);
  return (
    <FeedbackList
      variant="page"
      title={feedbackWords.byIdentity(names.get(identity) ?? identity)}
      source={source}
      actions={<Button onClick={() => void navigate('/feedback')}>{words.list.clearFilter}</Button>}
    />
  );
};

/** The page with SES's rates and the list of bounces and complaints: all of them, of one kind, or of one sender. */
export const FeedbackPage = () => {
  const [search, setSearch] = useSearchParams();
  const identity = search.get('identity');
  if (identity) return <IdentityFeedback key={identity} identity={identity} />;
  const type = search.get('type');
  const known = type === 'BOUNCE' || type === 'COMPLAINT' ? type : undefined;
  return (
    <Page title={words.pages.feedback} description={chartWords.rates}>
      <ReputationCharts />
      <RecentFeedback key={known ?? ''} type={known} onType={(next) => setSearch(next ? { type: next } : {}, { preventScrollReset: true })} />
    </Page>
  );
};
