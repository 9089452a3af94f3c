/* hello.c - a program outside the tree: installed headers, installed library. */
#include <stdio.h>

#include <weir/chan.h>
#include <weir/run.h>
#include <weir/scope.h>

static wr_err greet(void *arg)
{
    struct wr_chan *words = arg;
    const char *word = "hello from a fiber";
    return wr_chan_send(words, &word, wr_after(WR_S(1)));
}

static wr_err listen_to(struct wr_scope *scope, struct wr_chan *words)
{
    wr_err err = wr_scope_go(scope, "hello.greet", greet, words);
    if (err)
        return err;
    const char *word;
    err = wr_chan_recv(words, &word, wr_after(WR_S(1)));
    if (!err)
        puts(word);
    return err;
}

static wr_err hello(void *arg)
{
    (void)arg;
    struct wr_chan *words;
    wr_err err = wr_chan_new(&words, &(struct wr_chan_conf){ .name = "hello.words",
                                                             .item_size = sizeof(char *),
                                                             .cap = 1,
                                                             .policy = WR_WAIT });
    if (err)
        return err;
    struct wr_scope *scope;
    err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "hello",
                                                        .deadline = wr_after(WR_S(5)) });
    if (!err) {
        err = listen_to(scope, words);
        wr_err end = wr_scope_close(scope);
        err = err ? err : end;
    }
    wr_chan_free(words);
    return err;
}

int main(void)
{
    wr_err err = wr_run(&(struct wr_run_conf){ 0 }, hello, NULL);
    if (err)
        fprintf(stderr, "hello: %s\n", wr_err_text(err));
    return err != WR_OK;
}
