import { StatusIndicator } from '@cloudscape-design/components';
import { reputationLimits } from '../../../contract/admin/status.ts';
import type { ResponseOf } from '../../api/admin-api.tsx';
import { Details } from '../../parts/text/details.tsx';
import { PageLink } from '../../parts/text/link.tsx';
import { overviewWords, percent } from '../../words/pages/monitoring.ts';

type Status = ResponseOf<'status', 'GetStatus'>['status'];

const texts = overviewWords.sending;

/** A rate beside the thresholds at which AWS acts. */
const Rate = ({ name, value }: { readonly name: keyof typeof reputationLimits; readonly value: number | undefined }) => {
  if (value === undefined) return texts.unknown;
  const { review, pause } = reputationLimits[name];
  return (
    <StatusIndicator type={value >= pause ? 'error' : value >= review ? 'warning' : 'success'}>
      <PageLink to="/feedback">{percent(value)}</PageLink>
    </StatusIndicator>
  );
};

/** The used fraction of a quota. Nothing is shown when SES reports no quota. */
const usage = (used: number | undefined, max: number | undefined): string | undefined =>
  max === undefined || used === undefined ? undefined : `${used.toLocaleString()} / ${max.toLocaleString()}`;

const enforcementLook = { HEALTHY: 'success', PROBATION: 'warning', SHUTDOWN: 'error' } as const;

const isKnown = (state: string): state is keyof typeof enforcementLook => Object.hasOwn(enforcementLook, state);

const Enforcement = ({ state }: { readonly state: string | undefined }) => {
  if (state === undefined || !isKnown(state)) return state;
  return <StatusIndicator type={enforcementLook[state]}>{texts.enforcement[state]}</StatusIndicator>;
};

/** Whether SES sends, to which recipients and how much, and the sending reputation. */
export const SendingState = ({ status: { ses, aws_account_id: account, aws_region: region, lambda_concurrency: lambda } }: { readonly status: Status }) => (
  <Details
    title={texts.title}
    columns={4}
    details={[
      {
        label: texts.state,
        value:
          ses.sending_enabled === undefined ? undefined : (
            <StatusIndicator type={ses.sending_enabled ? 'success' : 'error'}>{ses.sending_enabled ? texts.on : texts.off}</StatusIndicator>
          ),
      },
      {
        label: texts.access,
        value: ses.sandbox === undefined ? undefined : ses.sandbox ? <PageLink to="/change-requests/create">{texts.sandbox}</PageLink> : texts.anyone,
      },
      { label: texts.quota, value: usage(ses.quota.sent_last_24h, ses.quota.max_24h_send) },
      { label: texts.rate, value: ses.quota.max_send_rate_per_second?.toLocaleString() },
      { label: texts.reputation, value: ses.enforcement_status && <Enforcement state={ses.enforcement_status} /> },
      { label: texts.bounces, value: <Rate name="bounce_rate" value={ses.reputation.bounce_rate} /> },
      { label: texts.complaints, value: <Rate name="complaint_rate" value={ses.reputation.complaint_rate} /> },
      {
        label: overviewWords.concurrency,
        value:
          lambda.account_limit !== undefined && lambda.near_limit ? (
            <StatusIndicator type="warning">
              <PageLink to="/change-requests/create">{lambda.account_limit.toLocaleString()}</PageLink>
            </StatusIndicator>
          ) : (
            lambda.account_limit?.toLocaleString()
          ),
      },
      { label: overviewWords.account, value: account },
      { label: overviewWords.region, value: region },
    ]}
  />
);
