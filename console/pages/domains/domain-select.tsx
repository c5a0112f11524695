import { usePagedList } from '../../api/use-list.ts';
import type { FieldInput } from '../../parts/forms/field-input.tsx';
import { PagedSelect } from '../../parts/forms/paged-select.tsx';

const Domains: FieldInput = (props) => {
  const source = usePagedList('domains', 'ListDomains', {}, ({ domains }) => domains);
  return <PagedSelect {...props} source={source} optionOf={({ id: value, domain: label }) => ({ value, label })} />;
};

/** A choice among the deployment's domains. Its value is the domain's id. */
export const DomainSelect: FieldInput = (props) => <Domains {...props} />;
