import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { shownError, type ShownError } from '../../api/errors.ts';
import { useAdminMutation, type ResponseOf } from '../../api/admin-api.tsx';
import { useNotifications } from '../../app/notifications.tsx';
import { ErrorText } from '../../parts/error-text.tsx';
import { Time } from '../../parts/time.tsx';
import { domainWords } from '../../words/domains.ts';
import { recordPlan, recordsOf, type Domain } from './domain-records.ts';

const { provider: texts } = domainWords;

export type DnsAccess = ResponseOf<'domains', 'CheckDNSProvider'>;

/** Writes the records to Route 53. An error is kept, to be shown beside the records. */
export const useApplyRecords = (domainId: string) => {
  const { notify } = useNotifications();
  const apply = useAdminMutation('domains', 'ApplyDomainRecords');
  /** @returns whether all records were written. */
  const run = async (): Promise<boolean> => {
    const response = await apply.mutateAsync({ id: domainId }).catch(() => undefined);
    if (!response) return false;
    const { records_failed: failed } = response;
    notify(failed.length > 0 ? { type: 'warning', title: texts.failed, text: failed.join(', ') } : { type: 'success', title: texts.applied });
    return failed.length === 0;
  };
  return { run, isPending: apply.isPending, error: apply.error ? shownError(apply.error) : undefined };
};

const hasConflict = (domain: Domain): boolean => recordsOf(domain).some((record) => recordPlan(record, domain) === 'conflict');

/** The changes that ApplyDomainRecords would make. */
const Preview = ({ domain }: { readonly domain: Domain }) => {
  const plans = recordsOf(domain).map((record) => ({ record, plan: recordPlan(record, domain) }));
  const written = plans.filter(({ plan }) => plan === 'added' || plan === 'updated' || plan === 'replaced');
  const conflicts = plans.filter(({ plan }) => plan === 'conflict');
  if (conflicts.length === 0) return <>{written.length === 0 ? texts.nothing : texts.preview(written.length)}</>;
  return (
    <SpaceBetween size="xs">
      <b>{texts.conflicts}</b>
      <span>{texts.conflictsText}</span>
      <ul className="plain-list">
        {conflicts.map(({ record: { name, record_type: type, value } }) => <li key={`${name} ${type} ${value}`}>{type} {name}</li>)}
      </ul>
    </SpaceBetween>
  );
};

/** Whether Route 53 has the zone of the domain, what applying the records would do, and how the last attempt ended. */
export const DnsProvider = ({ domain, access, error }: {
  readonly domain: Domain;
  readonly access: DnsAccess;
  /** The error of an attempt that was made here. */
  readonly error?: ShownError | undefined;
}) => {
  const { hosted_zone: zone } = access;
  const { dns_apply_state: applied } = domain;
  if (!zone) return <Alert type="info" header={texts.noZone}>{texts.noAccess}</Alert>;
  if (error) {
    return (
      <Alert type="error" header={texts.lastError}>
        <SpaceBetween size="xs">
          <ErrorText error={error} />
          {hasConflict(domain) && <span>{texts.conflictsText}</span>}
        </SpaceBetween>
      </Alert>
    );
  }
  return (
    <SpaceBetween size="s">
      <Alert type={hasConflict(domain) ? 'warning' : 'info'} header={texts.zone(zone.name, zone.record_count)}>
        <Preview domain={domain} />
        {applied?.last_success_at && <Box color="inherit">{texts.lastSuccess} <Time at={applied.last_success_at} /></Box>}
      </Alert>
      {applied?.last_error && !hasConflict(domain) && <Alert type="error" header={texts.lastError}>{applied.last_error}</Alert>}
    </SpaceBetween>
  );
};
