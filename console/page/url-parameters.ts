import { useSearchParams } from 'react-router';

/** The parameters of the URL, and a function that sets some of them and removes those without a value. */
export const useUrlParameters = () => {
  const [search, setSearch] = useSearchParams();
  const set = (changes: Readonly<Record<string, string | undefined>>): void =>
    setSearch(
      (known) => {
        const changed = new URLSearchParams(known);
        for (const [name, value] of Object.entries(changes)) {
          if (value === undefined || value === '') changed.delete(name);
          else changed.set(name, value);
        }
        return changed;
      },
      { replace: true, preventScrollReset: true },
    );
  return [search, set] as const;
};
