import { Alert, Box, Button, SpaceBetween } from '@cloudscape-design/components';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { useTimeFormats } from '../../parts/text/time.tsx';
import { domainWords } from '../../words/pages/domains.ts';
import { isLive } from './domain-readiness.ts';
import type { Domain } from './domain-records.ts';

const { progress: texts } = domainWords;

/** Seconds between two checks of a domain that is not live. */
const pollSeconds = 5;

export type DomainQuery = UseQueryResult<ResponseOf<'domains', 'GetDomain'>>;

/** Reads a domain with its DNS repeatedly until it is live. */
export const useDomain = (id: string): DomainQuery =>
  useAdminQuery(
    'domains',
    'GetDomain',
    { id, include_dns_validation: true },
    { refetchInterval: (response) => (response && isLive(response.domain) ? false : pollSeconds * 1000) },
  );

const liveTitle = ({ domain, send_enabled: sends, receive_enabled: receives }: Domain): string => {
  if (sends && receives) return texts.sendsAndReceives(domain);
  if (sends) return texts.sends(domain);
  return receives ? texts.receives(domain) : texts.neither(domain);
};

/** The steps that are missing before a domain is live. */
const missing = ({ verification_status: status, dns_validation: validation }: Domain): string => {
  if (status === 'FAILED') return texts.failed;
  return validation?.required_valid ? texts.verification : texts.records;
};

/** Whether a domain is live, in a sentence, and the next step. */
export const DomainStatus = ({ domain, action }: { readonly domain: Domain; readonly action?: ReactNode }) => {
  if (!isLive(domain)) {
    return (
      <Alert type={domain.verification_status === 'FAILED' ? 'warning' : 'info'} header={texts.waiting(domain.domain)} action={action}>
        {missing(domain)}
      </Alert>
    );
  }
  const isComplete = domain.dns_validation?.recommended_valid !== false;
  return (
    <Alert type={isComplete ? 'success' : 'warning'} header={liveTitle(domain)} action={action}>
      {isComplete ? texts.readyText : texts.recommendedText}
    </Alert>
  );
};

export const LastLook = ({ query }: { readonly query: DomainQuery }) => {
  const { preciseClock } = useTimeFormats();
  const at = new Date(query.dataUpdatedAt);
  return (
    <SpaceBetween direction="horizontal" size="xs" alignItems="center">
      <Box color="text-body-secondary">
        {domainWords.looked}{' '}
        <time dateTime={at.toISOString()} title={at.toISOString()}>
          {preciseClock(at)}
        </time>
        {'. '}
        {query.data && !isLive(query.data.domain) && domainWords.looksAgain(pollSeconds)}
      </Box>
      <Button variant="inline-link" onClick={() => void query.refetch()}>
        {domainWords.lookNow}
      </Button>
    </SpaceBetween>
  );
};
