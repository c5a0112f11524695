import { useState } from 'react';
import type { ServiceName } from '../../../contract/admin/index.ts';
import type { MethodName, RequestOf, ResponseOf } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import type { FieldInput } from '../forms/field-input.tsx';
import { PagedSelect, type PagedSelectProps } from '../forms/paged-select.tsx';
import { nameOf } from './user-names.ts';

/** A choice among the objects that a method lists and searches. Its value is the id of an object. */
const selectFrom = <S extends ServiceName, M extends MethodName<S>, Item>(
  service: S,
  method: M,
  request: RequestOf<S, M>,
  itemsOf: (response: ResponseOf<S, M>) => readonly Item[],
  optionOf: PagedSelectProps<Item>['optionOf'],
): FieldInput => {
  const Choice: FieldInput = (props) => {
    const [query, setQuery] = useState('');
    const searched: RequestOf<S, M> = query === '' ? request : { ...request, query };
    const source = usePagedList(service, method, searched, itemsOf, { keepsPrevious: true });
    return <PagedSelect {...props} source={source} optionOf={optionOf} onFind={setQuery} />;
  };
  return (props) => <Choice {...props} />;
};

export const AccountSelect = selectFrom(
  'accounts',
  'ListAccounts',
  { order_by: 'NAME' },
  ({ accounts }) => accounts,
  ({ account_id: value, name: label, email: description }) => ({ value, label, description }),
);

export const GroupSelect = selectFrom(
  'aliases',
  'ListGroups',
  { order_by: 'NAME' },
  ({ groups }) => groups,
  ({ group_id: value, name: label, email: description }) => ({ value, label, description }),
);

export const DomainSelect = selectFrom(
  'domains',
  'ListDomains',
  { order_by: 'DOMAIN' },
  ({ domains }) => domains,
  ({ id: value, domain: label }) => ({ value, label }),
);

/** A choice among active users. */
export const UserSelect = selectFrom(
  'users',
  'ListUsers',
  { order_by: 'NAME', is_deleted: false },
  ({ users }) => users.filter((user) => user.is_active),
  (user) => {
    const [identity] = user.idp_identities;
    return { value: user.user_id, label: nameOf(user), ...(identity?.email && { description: identity.email }) };
  },
);
