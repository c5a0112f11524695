import type { ResponseOf } from '../../api/admin-api.tsx';
import { Isolated } from '../../parts/text/isolated.tsx';
import { PageLink } from '../../parts/text/link.tsx';

/** The lists of the kinds of members that have pages. Others are plain addresses. */
const lists: { readonly [kind: string]: string } = { ACCOUNT: '/accounts', GROUP: '/groups' };

type MemberLinkProps = { readonly kind: string; readonly id: string; readonly text: string };

/** A member of a group, or the receiver of a catch-all, with a link to its page if it has one. */
export const MemberLink = ({ kind, id, text }: MemberLinkProps) => {
  const list = lists[kind];
  return list === undefined ? <Isolated>{text}</Isolated> : <PageLink to={`${list}/${encodeURIComponent(id)}`}>{text}</PageLink>;
};

type FoundReceiver = ResponseOf<'accounts', 'FindAddress'>['receivers'][number];

/** Who gets the mail of a group. One without an account is an address outside. */
export type Receiver = Pick<FoundReceiver, 'email'> & Partial<FoundReceiver>;

export const ReceiverLink = ({ receiver: { account_id: id, name, email } }: { readonly receiver: Receiver }) => (
  <MemberLink kind={id === undefined ? 'OUTSIDE' : 'ACCOUNT'} id={id ?? email} text={name ?? email} />
);
