import Button from '@cloudscape-design/components/button';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { services, type ServiceName } from '../../../contract/admin/index.ts';
import type { Method } from '../../../contract/rpc/rpc.ts';
import type { MethodName, ResponseOf } from '../../api/admin-api.tsx';
import { useNotifications } from '../view/notifications.tsx';
import { fieldWords } from '../../words/fields.ts';
import { methodTitle } from '../../words/methods.ts';
import { words } from '../../words/words.ts';
import { Details, type Detail } from '../text/details.tsx';
import { MethodForm, type MethodFieldsProps } from './method-form.tsx';
import { Page } from '../view/page-header.tsx';

export type MethodPageProps<S extends ServiceName, M extends MethodName<S>> = MethodFieldsProps<S, M> & {
  /** The path after the change, and the path after cancel. */
  readonly returnTo: string;
};

/** The fields of a response, those of the messages in it included. */
const detailsOf = (response: object): Detail[] => Object.entries(response).flatMap(([name, value]: [string, unknown]) => (
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? detailsOf(value)
    : [{ label: fieldWords.of(name).label, value: Array.isArray(value) ? value.map(String).join(', ') : String(value) }]));

/** A page for a method without a page of its own: its words, form and result are made from the contract. */
export const MethodPage = <S extends ServiceName, M extends MethodName<S>>({ returnTo, ...form }: MethodPageProps<S, M>) => {
  const navigate = useNavigate();
  const { notify } = useNotifications();
  const [result, setResult] = useState<ResponseOf<S, M>>();
  const title = methodTitle(form.method);
  const { summary } = (services[form.service].methods as { readonly [name: string]: Method })[form.method]!;
  const leave = (): void => void navigate(returnTo);
  if (result !== undefined) {
    return (
      <Page title={title} actions={<Button variant="primary" onClick={leave}>{words.method.back}</Button>}>
        <Details title={words.method.result} details={detailsOf(result)} />
      </Page>
    );
  }
  return (
    <Page title={title} description={summary}>
      <MethodForm
        {...form as unknown as MethodFieldsProps<S, M>} submitText={title} onCancel={leave}
        onDone={(response) => {
          notify({ type: 'success', title: words.method.done(title) });
          if (Object.keys(response).length === 0) leave();
          else setResult(response);
        }}
      />
    </Page>
  );
};
