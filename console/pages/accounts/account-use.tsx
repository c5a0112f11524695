import { ColumnLayout, Container, Header, ProgressBar, StatusIndicator } from '@cloudscape-design/components';
import type { ReactNode } from 'react';
import type { ResponseOf } from '../../api/admin-api.tsx';
import { DetailList } from '../../parts/text/details.tsx';
import { formatOctets } from '../../words/octets.ts';
import { accountWords } from '../../words/pages/accounts.ts';

type Account = ResponseOf<'accounts', 'GetAccount'>['account'];

/** The share of a limit at which a warning is shown. */
const nearlyFull = 0.9;

/** The part of a limit that is used. */
const partOf = (used: number, max: number): number => (max > 0 ? used / max : 1);

type UseProps = { readonly name: string; readonly used: number; readonly max: number; readonly format: (value: number) => string };

const Use = ({ name, used, max, format }: UseProps) => {
  const part = partOf(used, max);
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

type AccountStorage = NonNullable<NonNullable<Account['use']>['storage']>;

export const octetsText = ({ octets_used: used, max_octets: max }: AccountStorage): string => accountWords.of(formatOctets(used), formatOctets(max));
export const messagesText = ({ emails_used: used, max_emails: max }: AccountStorage): string => accountWords.of(count(used), count(max));

/** The storage of an account, with a state when it is nearly full. */
export const StorageUse = ({ storage }: { readonly storage: AccountStorage }) => {
  const part = Math.max(partOf(storage.octets_used, storage.max_octets), partOf(storage.emails_used, storage.max_emails));
  if (part < nearlyFull) return <>{octetsText(storage)}</>;
  const [type, label] = part < 1 ? (['warning', accountWords.isNearlyFull] as const) : (['error', accountWords.isFull] as const);
  return (
    <StatusIndicator type={type} iconAriaLabel={label}>
      {octetsText(storage)}
    </StatusIndicator>
  );
};

type AccountUseProps = { readonly quota: NonNullable<Account['quota']>; readonly description?: string; readonly actions?: ReactNode };

/** The use of an account, and its limits. */
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
