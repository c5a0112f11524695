import { usePagedList } from '../../api/use-list.ts';
import type { FieldInput } from '../forms/field-input.tsx';
import { PagedSelect } from '../forms/paged-select.tsx';

const Accounts: FieldInput = (props) => {
  const source = usePagedList('accounts', 'ListAccounts', {}, ({ accounts }) => accounts);
  return <PagedSelect {...props} source={source} optionOf={({ account_id: value, name: label, email: description }) => ({ value, label, description })} />;
};

/** A choice among accounts. Its value is the account's id. */
export const AccountSelect: FieldInput = (props) => <Accounts {...props} />;
