import { words } from '../../words/words.ts';

export const YesNo = ({ value }: { readonly value: boolean }) => <>{value ? words.form.yes : words.form.no}</>;
