import { Button, SpaceBetween } from '@cloudscape-design/components';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { useRole } from '../../api/role.ts';
import { mayCallMethod } from '../../page/may-open.ts';
import { findPath } from '../../parts/forms/message-search.tsx';
import { QueryView } from '../../parts/view/page.tsx';
import { WhenVisible } from '../../parts/view/when-visible.tsx';
import { userMailWords } from '../../words/pages/users.ts';
import { AccountUse } from '../accounts/account-use.tsx';
import { DeletedMail } from '../accounts/deleted-mail.tsx';
import { MailList } from '../activity/mail-list.tsx';
import { mergedMail, useMail } from '../activity/use-mail.ts';

/** Pixels of a list with few rows. */
const listHeight = 280;

const day = 86_400_000;

const WaitingMail = ({ address }: { readonly address: string }) => {
  const navigate = useNavigate();
  const [openedAt] = useState(Date.now);
  const { title, text, all, none, noneYet } = userMailWords.waiting;
  const filter = { address, since: new Date(openedAt - day).toISOString() };
  const source = mergedMail([
    useMail({ ...filter, outcome: 'WAITS_FOR_ROOM' }),
    useMail({ ...filter, outcome: 'IN_PROGRESS' }),
    useMail({ ...filter, state: 'ACCEPTED' }),
  ]);
  return (
    <MailList
      title={title}
      description={text(address)}
      address={address}
      source={source}
      empty={source.readMore ? noneYet : none}
      actions={<Button onClick={() => void navigate(findPath(address))}>{all}</Button>}
    />
  );
};

/** The mail of a person's own account: how full it is, what waits, and what was deleted lately. */
export const UserMail = ({ account: { account_id, name, email } }: { readonly account: ResponseOf<'accounts', 'GetAccount'>['account'] }) => {
  const role = useRole();
  const navigate = useNavigate();
  const query = useAdminQuery('accounts', 'GetAccount', { account_id });
  const change = <Button onClick={() => void navigate(`/accounts/${account_id}`)}>{userMailWords.changeLimits}</Button>;
  return (
    <SpaceBetween size="l">
      <QueryView query={query}>
        {({ account: { quota } }) => quota && <AccountUse quota={quota} description={userMailWords.ownAccount(name)} actions={change} />}
      </QueryView>
      {mayCallMethod(role, 'mail-feedback', 'ListReceivedMessages') && (
        <WhenVisible height={listHeight}>
          <WaitingMail address={email} />
        </WhenVisible>
      )}
      {mayCallMethod(role, 'accounts', 'ListDestroyedEmails') && (
        <WhenVisible height={listHeight}>
          <DeletedMail accountId={account_id} name={name} />
        </WhenVisible>
      )}
    </SpaceBetween>
  );
};
