import { Alert, Box, SpaceBetween } from '@cloudscape-design/components';
import { useAdminMutation, type ResponseOf } from '../../../api/admin-api.tsx';
import { shownError, type ShownError } from '../../../api/errors.ts';
import { ErrorText } from '../../../parts/text/error-text.tsx';
import { Time } from '../../../parts/text/time.tsx';
import { useNotifications } from '../../../parts/view/notifications.tsx';
import { domainWords } from '../../../words/pages/domains.ts';
import { plannedRecords, type Domain, type PlannedRecord } from '../domain-records.ts';

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
    const { records_failed: failed, records_written: written, records_kept: kept } = response;
    const keptText = kept.length > 0 && { text: texts.kept(kept.map(({ name, record_type: type }) => `${type} ${name}`).join(', ')) };
    if (failed.length > 0) notify({ type: 'warning', title: texts.failed, text: failed.join(', ') });
    else if (written.length > 0) notify({ type: 'success', title: texts.applied(written.length), ...keptText });
    else notify({ type: 'info', title: texts.nothingWritten, ...keptText });
    return failed.length === 0;
  };
  return { run, isPending: apply.isPending, error: apply.error ? shownError(apply.error) : undefined };
};

const hasConflict = (domain: Domain): boolean => plannedRecords(domain).conflicts.length > 0;

/** Foreign records that are kept: the value in DNS, and the value to publish instead. */
const ForeignRecords = ({ records, title, text }: { readonly records: readonly PlannedRecord[]; readonly title: string; readonly text: string }) =>
  records.length === 0 ? null : (
    <div>
      <b>{title}</b>
      <div>{text}</div>
      <ul className="plain-list">
        {records.map(({ record: { name, record_type: type, value, found_values: found, problem } }) => (
          <li key={`${name} ${type} ${value}`}>
            {type} {name}: {found.includes(value) ? texts.found(value) : texts.foundAndPublish(found.join(', '), value)} {problem}
          </li>
        ))}
      </ul>
    </div>
  );

const Preview = ({ domain }: { readonly domain: Domain }) => {
  const { written, conflicts, kept } = plannedRecords(domain);
  const isComplete = conflicts.length === 0 && kept.length === 0;
  return (
    <SpaceBetween size="xs">
      <span>{written.length > 0 ? texts.preview(written.length) : isComplete ? texts.nothing : texts.nothingToWrite}</span>
      <ForeignRecords records={conflicts} title={texts.conflicts} text={texts.conflictsText} />
      <ForeignRecords records={kept} title={texts.keeps} text={texts.keepsText} />
    </SpaceBetween>
  );
};

/**
 * Whether Route 53 has the zone of the domain, the result of applying the records, and the result of the last attempt.
 */
export const DnsProvider = ({
  domain,
  access,
  error,
}: {
  readonly domain: Domain;
  readonly access: DnsAccess;
  /** The error of an attempt on this page. */
  readonly error?: ShownError | undefined;
}) => {
  const { hosted_zone: zone } = access;
  const { dns_apply_state: applied } = domain;
  if (!zone)
    return (
      <Alert type="info" header={texts.noZone}>
        {texts.noAccess}
      </Alert>
    );
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
        {applied?.last_success_at && (
          <Box color="inherit">
            {texts.lastSuccess} <Time at={applied.last_success_at} />
          </Box>
        )}
      </Alert>
      {applied?.last_error && !hasConflict(domain) && (
        <Alert type="error" header={texts.lastError}>
          {applied.last_error}
        </Alert>
      )}
    </SpaceBetween>
  );
};
