import { ColumnLayout, Container, Header, ProgressBar, StatusIndicator } from '@cloudscape-design/components';
import type { ReactNode } from 'react';
import type { ResponseOf } from '../../api/admin-api.tsx';
import { DetailList } from '../../parts/text/details.tsx';
import { formatOctets } from '../../words/octets.ts';
import { accountWords } from '../../words/pages/accounts.ts';

type Account = ResponseOf<'accounts', 'GetAccount'>['account'];

/** The share of a limit at which a warning is shown. */
const nearlyFull = 0.9;

type UseProps = { readonly name: string; readonly used: number; readonly max: number; readonly format: (value: number) => string };

const Use = ({ name, used, max, format }: UseProps) => {
  const part = max > 0 ? used / max : 1;
  const left = format(Math.max(0, max - used));
  const words = part >= nearlyFull ? accountWords.nearlyFull(left) : accountWords.free(left);
  return (
    <ProgressBar
      label={name}
      value={Math.min(100, 100 * part)}
      description={accountWords.of(format(used), format(max))}
      additionalInfo={part >= 1 ? <StatusIndicator type="error">{accountWords.full}</StatusIndicator> : words}
    />
  );
};

const count = (value: number): string => value.toLocaleString();

type AccountUseProps = { readonly quota: NonNullable<Account['quota']>; readonly description?: string; readonly actions?: ReactNode };

/** How full an account is, and its limits. */
export const AccountUse = ({ quota, description, actions }: AccountUseProps) => (
  <Container
    header={
      <Header variant="h2" description={description} actions={actions}>
        {accountWords.limits}
      </Header>
    }
  >
    <ColumnLayout columns={2}>
      <Use name={accountWords.storage} used={quota.octets_used} max={quota.max_octets} format={formatOctets} />
      <Use name={accountWords.messages} used={quota.emails_used} max={quota.max_emails} format={count} />
      <DetailList
        columns={2}
        details={[
          { label: accountWords.perMinute, value: accountWords.upTo(count(quota.max_recipients_per_minute)) },
          { label: accountWords.perDay, value: accountWords.upTo(count(quota.max_recipients_per_day)) },
        ]}
      />
    </ColumnLayout>
  </Container>
);
