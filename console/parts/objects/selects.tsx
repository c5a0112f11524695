import type { ServiceName } from '../../../contract/admin/index.ts';
import type { MethodName, RequestOf, ResponseOf } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import type { FieldInput } from '../forms/field-input.tsx';
import { PagedSelect, type PagedSelectProps } from '../forms/paged-select.tsx';
import { nameOf } from './user-names.ts';

/** A choice among the objects that a method lists. Its value is the id of an object. */
const selectFrom = <S extends ServiceName, M extends MethodName<S>, Item>(
  service: S,
  method: M,
  itemsOf: (response: ResponseOf<S, M>) => readonly Item[],
  optionOf: PagedSelectProps<Item>['optionOf'],
): FieldInput => {
  const Choice: FieldInput = (props) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the methods that list objects require no field
    const source = usePagedList(service, method, {} as RequestOf<S, M>, itemsOf);
    return <PagedSelect {...props} source={source} optionOf={optionOf} />;
  };
  return (props) => <Choice {...props} />;
};

export const AccountSelect = selectFrom(
  'accounts',
  'ListAccounts',
  ({ accounts }) => accounts,
  ({ account_id: value, name: label, email: description }) => ({ value, label, description }),
);

export const DomainSelect = selectFrom(
  'domains',
  'ListDomains',
  ({ domains }) => domains,
  ({ id: value, domain: label }) => ({ value, label }),
);

/** A choice among active users. */
export const UserSelect = selectFrom(
  'users',
  'ListUsers',
  ({ users }) => users.filter((user) => user.is_active && !user.is_deleted),
  (user) => {
    const [identity] = user.idp_identities;
    return { value: user.user_id, label: nameOf(user), ...(identity?.email && { description: identity.email }) };
  },
);
